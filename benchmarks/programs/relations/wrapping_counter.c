// A counter of slots that goes round: behind the last comes the first.
//
// Safe: it stays below 1000, as it is tested in the same section. -DANY: any number of threads.
// Broken: it is increased in one section and wrapped in another.
#include <assert.h>
#include <pthread.h>

#define SLOTS 1000

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int slot, laps;

void *next(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        slot++;
#ifdef BROKEN
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        if (slot == SLOTS)
            slot = 0;
        assert(slot >= 0 && slot < SLOTS);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    slot = SLOTS - 3;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, next, 0);
    next(0);
    return 0;
}
