// precise: FAILED --threads 0
// Any function may be meant, so also one whose values are equal, or not.
int __CPROVER_uninterpreted_f(int);

int main(void) {
    int k = __VERIFIER_nondet_int();
    if (__CPROVER_uninterpreted_f(1) == 5 && __CPROVER_uninterpreted_f(2) == 6)
        __CPROVER_assert(__CPROVER_uninterpreted_f(k) == 5, "of all numbers");
}
