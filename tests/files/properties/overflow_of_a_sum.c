// precise: SUCCESSFUL --property overflow
// precise: FAILED --property overflow -DBROKEN
// The mean of two numbers, as every textbook once had it.
int __VERIFIER_nondet_int(void);

int main(void) {
    int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
    if (low < 0 || high < low)
        return 0;
#ifdef BROKEN
    return (low + high) / 2;
#else
    return low + (high - low) / 2;
#endif
}
