// covers: recursion
#include "observe.h"

static int sum(int *a, int n)
{
    int first = a[0];
    int local[2] = { first, n };
    if (n == 1)
        return local[0];
    return sum(a + 1, n - 1) + local[0] * 10;
}

int main(void)
{
    int b[4] = { 4, 3, 2, 1 };
    observe(sum(b, 4));
    observe_end();
    return 0;
}
