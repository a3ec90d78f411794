// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Twenty threads increment twice: what is ahead is the number of threads in between, and who stands there is one of them.
#include <assert.h>
#include <pthread.h>

unsigned behind, ahead;

void *worker(void *unused)
{
    __CPROVER_atomic_begin();
    ahead++;
    __CPROVER_atomic_end();
#ifdef BROKEN
    __CPROVER_atomic_begin();
    behind++;
    __CPROVER_atomic_end();
#endif
    __CPROVER_atomic_begin();
    assert(behind < ahead);
#ifndef BROKEN
    behind++;
#endif
    __CPROVER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 20; i++)
        pthread_create(&thread, NULL, worker, NULL);
    return 0;
}
