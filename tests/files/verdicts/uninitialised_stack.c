// precise: FAILED --threads 1
// Each time round the loop, what the local holds is arbitrary anew.
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

int main(void) {
    int first = 1, a = 0, b = 0;
    __VERIFIER_atomic_begin();
    while (1) {
        int local;
        int *place = &local;
        if (!first) {
            b = *place;
            break;
        }
        a = *place;
        *place = 0;
        first = 0;
    }
    __VERIFIER_atomic_end();
    __CPROVER_assert(a == 0 || b != a, "both may be 7");
}
