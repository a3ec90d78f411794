// precise: FAILED --property pointers
// precise: SUCCESSFUL --property pointers -DSAFE
int __VERIFIER_nondet_int(void);
int one(void) { return 1; }

int main(void) {
    int (*f)(void) = 0;
#ifdef SAFE
    f = one;
#endif
    return f();
}
