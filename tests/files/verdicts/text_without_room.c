// precise: INCONCLUSIVE --allocations may-fail
// precise: SUCCESSFUL --allocations may-fail -DEITHER
// Where there is no memory, newer versions of glibc set the result to null, and older ones leave it alone.
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char own, *text = &own;
    int length = asprintf(&text, "%d", 5);
#ifdef EITHER
    if (length < 0)
        assert(!text || text == &own);
#else
    if (length < 0)
        assert(!text);
#endif
    return 0;
}
