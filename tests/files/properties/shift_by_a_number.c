// precise: SUCCESSFUL --property division
// precise: FAILED --property division -DBROKEN
int __VERIFIER_nondet_int(void);

int main(void) {
    int distance = __VERIFIER_nondet_int();
#ifdef BROKEN
    if (distance > 32)
#else
    if (distance < 0 || distance > 31)
#endif
        return 0;
    return (int)(1u << distance);
}
