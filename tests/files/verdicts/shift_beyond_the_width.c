// precise: SUCCESSFUL --threads 0
// NOTE assuming that divisions and shifts are defined
int main(void) {
    int width = __VERIFIER_nondet_int();
    long far = __VERIFIER_nondet_long();
    int one = 1 << width;
    __CPROVER_assert(width >= 0 && width < 32, "the run has ended else");
    unsigned two = 2u >> far;
    __CPROVER_assert(far >= 0 && far < 32, "nor is a distance cut to fit");
    __CPROVER_assert(one != 0 && two <= 2, "what remains");
}
