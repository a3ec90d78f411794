// Jobs that were announced, begun and finished.
//
// Safe: finished <= begun <= announced <= 50. -DANY: any number of workers.
// Broken: a worker that gives up counts its job as finished and begins it again.
#include <assert.h>
#include <pthread.h>

#define JOBS 50

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int announced, begun, finished;

void *announce(void *unused)
{
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&lock);
        announced++;
        assert(announced <= JOBS);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int is_there = begun < announced;
        if (is_there)
            begun++;
        pthread_mutex_unlock(&lock);
        if (!is_there)
            continue;
        pthread_mutex_lock(&lock);
        finished++;
#ifdef BROKEN
        if (__VERIFIER_nondet_int())
            begun--;
#endif
        assert(finished <= begun);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, announce, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, work, 0);
#else
    pthread_create(&thread, 0, work, 0);
    pthread_create(&thread, 0, work, 0);
#endif
    return 0;
}
