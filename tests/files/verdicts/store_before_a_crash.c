// precise: FAILED --threads 1
// Other threads see what was stored before the thread was cut off.
extern int __VERIFIER_nondet_int(void);
int g;

void crashing(void) {
    if (__VERIFIER_nondet_int()) {
        g = 1;
        *(volatile int *)0 = 0;
    }
}

int main(void) {
    __CPROVER_ASYNC_1: crashing();
    __CPROVER_assert(g == 0, "not yet stored");
}
