// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// sound: FAILED -DNARROW --timeout 5
// known gap: FAILED -DSTEP --timeout 5
// As many threads as somebody says, which is an int: a counter of as many bits does not come back to 0. What is counted
// first only grows, so that it need not be read together with what is behind it.
#include <assert.h>
#include <pthread.h>

#ifdef NARROW
typedef signed char counter;
#else
typedef int counter;
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
counter started, finished;

void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    started++;
    pthread_mutex_unlock(&lock);
#ifdef BROKEN
    assert(started < finished + 2);
#else
    assert(finished < started);
#endif
    pthread_mutex_lock(&lock);
    finished++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    pthread_t thread;
#ifdef STEP
    for (int i = 0; i != n; i++)
#else
    for (int i = 0; i < n; i++)
#endif
        pthread_create(&thread, NULL, worker, NULL);
    return 0;
}
