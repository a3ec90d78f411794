// precise: SUCCESSFUL --threads 0
// What is not interpreted is a function all the same: equal arguments, equal results.
int __CPROVER_uninterpreted_f(int);

int main(void) {
    int k = __VERIFIER_nondet_int(), other = __VERIFIER_nondet_int();
    __CPROVER_assert(k != other || __CPROVER_uninterpreted_f(other) == __CPROVER_uninterpreted_f(k),
                     "of equals");
}
