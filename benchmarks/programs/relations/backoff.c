// Who does not get a lock waits, each time twice as long, up to a limit.
//
// Safe: the time is between 1 and 1024, and no larger than the sum of what was waited and 1. -DANY: any number of threads.
// Broken: the limit is tested before the time is doubled.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int successes;

void *work(void *unused)
{
    unsigned delay = 1;
    for (;;) {
        if (pthread_mutex_trylock(&lock) == 0) {
            successes++;
            pthread_mutex_unlock(&lock);
            delay = 1;
        } else {
            for (unsigned waited = 0; waited < delay; waited++)
                assert(waited < 1024);
#ifdef BROKEN
            if (delay <= 1024)
                delay *= 2;
#else
            if (delay < 1024)
                delay *= 2;
#endif
            assert(delay >= 1 && delay <= 1024);
        }
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, work, 0);
#else
    pthread_create(&thread, 0, work, 0);
    pthread_create(&thread, 0, work, 0);
#endif
    return 0;
}
