// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Any number of threads enter and leave, ten of them at a time: who is inside is counted.
#include <assert.h>
#include <pthread.h>

unsigned inside;

void *visitor(void *unused)
{
    __CPROVER_atomic_begin();
    __CPROVER_assume(inside < 10);
    inside++;
    __CPROVER_atomic_end();
    assert(inside >= 1 && inside <= 10);
    __CPROVER_atomic_begin();
#ifdef BROKEN
    if (inside > 1)
        inside--;
#endif
    inside--;
    __CPROVER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, NULL, visitor, NULL);
}
