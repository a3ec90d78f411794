// precise: SUCCESSFUL
// precise: FAILED -DWRONG
// A type of variable length has the size of where it is defined, whatever becomes of the number; names may have
// universal character names.
#include <assert.h>
#include <stdlib.h>

static int of_rows(int n)
{
    typedef int row[n];
    row one, many[2];
    n = 9;
    assert(sizeof(row) == 3 * sizeof(int) && sizeof one == sizeof(row) && sizeof many == 2 * sizeof(row));
    for (unsigned i = 0; i < sizeof one / sizeof *one; i++)
        one[i] = many[1][i] = (int)i;
    row *rows = malloc(2 * sizeof *rows);
    rows[1][2] = many[1][2] + one[1];
    int result = *(rows[0] + 5);
    assert((char *)(rows + 1) - (char *)rows == sizeof(row));
    free(rows);
    return result;
}

int main(void)
{
    int caf\u00e9 = of_rows(3);
    assert(café == 3);
#ifdef WRONG
    assert(caf\U000000e9 == 4);
#endif
    return 0;
}
