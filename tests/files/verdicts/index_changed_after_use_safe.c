// precise: SUCCESSFUL --threads 1
// The load is from the old index, although the step changes it.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int values[3] = {5, 6, 7}, top;

int main(void) {
    top = __VERIFIER_nondet_int();
    __VERIFIER_atomic_begin();
    int at = top;
    top = at + 1;
    int found = values[at];
    __VERIFIER_atomic_end();
    if (at == 0)
        __CPROVER_assert(found == 5, "the first value");
}
