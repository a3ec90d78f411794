// A clock goes on; threads set deadlines ten ticks from now and see whether they are over.
//
// Safe: a deadline is never more than ten ticks away. -DANY: any number of threads set them.
// Broken: a deadline that is not over is put off by another ten ticks.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int now, deadline;

void *tick(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (now < 100000000)
            now++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *set(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (deadline > now)
            deadline += 10;
        else
#endif
            deadline = now + 10;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        assert(deadline - now <= 10);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, tick, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, set, 0);
#else
    pthread_create(&thread, 0, set, 0);
    pthread_create(&thread, 0, set, 0);
#endif
    return 0;
}
