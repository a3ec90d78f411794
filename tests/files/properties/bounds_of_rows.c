// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DBROKEN
// An index of the inner array that is too large lies in the next row: nothing is outside the object.
int __VERIFIER_nondet_int(void);
int grid[3][4];

int main(void) {
    int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
#ifdef BROKEN
    if (i < 0 || i >= 2 || j < 0 || j > 4)
#else
    if (i < 0 || i >= 3 || j < 0 || j >= 4)
#endif
        return 0;
    grid[i][j] = 1;
    return 0;
}
