// EXIT: 10
// check: reaches bytes 16 to 19 of heap#1, which has 16 bytes, fails
// check: VERIFICATION FAILED
// RUN: sapa check --property bounds %s
// It is said which bytes are accessed, and how many there are.
#include <stdlib.h>

int main(void)
{
    int *row = malloc(4 * sizeof *row);
    if (row)
        for (int i = 0; i <= 4; i++)
            row[i] = i;
    free(row);
    return 0;
}
