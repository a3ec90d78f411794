// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Who finds that the service stops does not begin; the last one that works tells that all is done. Those that work are at most what
// is pending and the flag together, as the flag is set before its own share of what is pending is given back.
#include <assert.h>
#include <pthread.h>

int stopping, pending = 1, is_done, is_closed;

void leave(void)
{
    __CPROVER_atomic_begin();
    int left = --pending;
    __CPROVER_atomic_end();
    if (left == 0)
        is_done = 1;
}

void *request(void *unused)
{
    int enters = 0;
    __CPROVER_atomic_begin();
    if (!stopping && pending < 1000) {
        pending++;
        enters = 1;
    }
    __CPROVER_atomic_end();
    if (enters) {
        assert(!is_closed);
        leave();
    }
    return unused;
}

void *stop(void *unused)
{
#ifndef BROKEN
    stopping = 1;
#endif
    leave();
    __CPROVER_assume(is_done);
    is_closed = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, stop, NULL);
    for (;;)
        pthread_create(&thread, NULL, request, NULL);
}
