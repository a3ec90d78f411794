// precise: FAILED --threads 1
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int values[3] = {5, 6, 7}, *next = values;

int main(void) {
    __VERIFIER_atomic_begin();
    int *here = next;
    next = here + 1;
    int found = *here;
    __VERIFIER_atomic_end();
    __CPROVER_assert(found != 5, "the first value");
}
