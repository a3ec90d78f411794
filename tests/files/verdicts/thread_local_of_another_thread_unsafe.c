// sound: FAILED
// sound: FAILED --mm tso
// sound: FAILED -DREAD
// A pointer to an object that is local to a thread leads to that thread's, whoever uses it.
#include <assert.h>
#include <pthread.h>

_Thread_local int x;

void *worker(void *place)
{
#ifdef READ
    assert(*(int *)place == 0);
#else
    *(int *)place = 5;
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
#ifdef READ
    x = 5;
#endif
    pthread_create(&thread, 0, worker, &x);
    pthread_join(thread, 0);
#ifndef READ
    assert(x != 5);
#endif
}
