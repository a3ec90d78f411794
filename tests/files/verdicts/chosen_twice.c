// precise: FAILED --threads 1
// Within the section the loop is one step, and its choice is made twice.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

int main(void) {
    int first = 1, before = 0, now;
    __VERIFIER_atomic_begin();
    while (1) {
        now = __VERIFIER_nondet_int();
        if (!first)
            break;
        first = 0;
        before = now;
    }
    __VERIFIER_atomic_end();
    __CPROVER_assert(before == now, "two choices are equal");
}
