// precise: SUCCESSFUL --property pointers
// precise: FAILED --property pointers -DBROKEN
// A pointer to a local may be compared with null after the call; what it points to is gone.
int __VERIFIER_nondet_int(void);

int *largest(int n) {
    int local = n;
    int *found = &local;
    return n > 100 ? found : 0;
}

int main(void) {
    int *found = largest(__VERIFIER_nondet_int());
#ifdef BROKEN
    return found ? *found : 0;
#else
    return found == 0;
#endif
}
