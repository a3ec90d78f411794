// precise: FAILED --threads 1
extern long __VERIFIER_nondet_long(void);
int x;

int main(void) {
    union {
        long number;
        int *pointer;
    } u;
    u.number = __VERIFIER_nondet_long();
    if (u.pointer == &x)
        *u.pointer = 3;
    __CPROVER_assert(x == 0, "it may be the address of x");
}
