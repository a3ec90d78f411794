// precise: SUCCESSFUL
// GCC evaluates the size of what is a pointer.
#include <assert.h>

static int outer(int n, int array[n++]) { return n; }
static int inner(int n, int (*rows)[n++]) { return n * 100 + (int)sizeof *rows; }

int main(void)
{
    int array[3] = {0};
    assert(outer(3, array) == 4 && inner(3, &array) == 412);
    return 0;
}
