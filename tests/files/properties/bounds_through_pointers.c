// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DPARAMETER
// precise: FAILED --property bounds -DBEFORE
// precise: FAILED --property bounds -DROW
// precise: FAILED --property bounds -DMEMBER
// What a pointer leads to has a length as well: that of its object, or of the array within one that it came from. One past the
// end may be computed.
int __VERIFIER_nondet_int(void);
struct {
    int length, data[4], last;
} s;
int table[8], grid[3][4];

static int pick(const int *a, int j) { return a[j + 1]; }

static void put(int *first, int i) { first[i] = 1; }

static int sum(int (*rows)[4], int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += rows[i][3];
    return sum;
}

int main(void) {
    int i = __VERIFIER_nondet_int(), found = 0;
#if defined PARAMETER
    if (i < 0 || i > 7)
        return 0;
#else
    if (i < 0 || i > 6)
        return 0;
#endif
    found += pick(table, i);
    for (int *p = table; p != table + 8; p++)
        found += *p;
#ifdef MEMBER
    put(s.data, 4);
#else
    put(s.data, 3);
#endif
#ifdef BEFORE
    put(table, -1);
#endif
#ifdef ROW
    return found + sum(grid, 4);
#else
    return found + sum(grid, 3);
#endif
}
