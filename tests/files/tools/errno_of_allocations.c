// An allocation that fails sets errno; one that succeeds leaves it alone.
// RUN: sapa check %s --allocations may-fail
// check: access atomicity
// not: errno
// check: VERIFICATION SUCCESSFUL
// RUN: sapa check %s --allocations may-fail -DWRONG | tail -1
// check: VERIFICATION FAILED
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    if (!p)
        assert(errno == ENOMEM);
#ifdef WRONG
    assert(errno == 0);
#else
    else
        assert(errno == 0);
#endif
    errno = 3;
    int *q = calloc(4, sizeof *q);
    assert(q ? errno == 3 : errno == ENOMEM);
}
