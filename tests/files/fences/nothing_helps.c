// Where it fails without any store that waits, or whatever fences there are (CUPEX Fig. 3), the run is shown and nothing is
// written. With statements that are one step both threads have read before a store reaches memory.
// RUN: cd %d && sapa fences --mm tso -DWRONG nothing_helps.c --patch %t 2>&1 || echo "exit $?"
// RUN: cd %d && sapa fences --mm pso --atomicity statement nothing_helps.c --patch %t 2>&1 || echo "exit $?"
// RUN: test ! -e %t && echo "nothing was written"
// RUN: cd %d && sapa fences --mm sc nothing_helps.c 2>&1 || echo "exit $?"
// RUN: cd %d && sapa fences nothing_helps.c 2>&1 | head -1
// RUN: cd %d && sapa fences --mm arm nothing_helps.c 2>&1 || echo "exit $?"
// RUN: cd %d && sapa fences --mm tso missing.bp 2>&1 || echo "exit $?"
// RUN: cd %d && sapa fences --mm tso missing.c 2>&1 || echo "exit $?"
#include <assert.h>
#include <pthread.h>

int x, y;

void *first(void *arg)
{
    x = y + 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    y = x + 1;
#ifdef WRONG
    assert(x == y);
#else
    assert(x != y);
#endif
    return 0;
}
