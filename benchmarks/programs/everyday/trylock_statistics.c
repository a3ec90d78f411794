// Three threads add to statistics under a mutex if it is free, and count what they skipped otherwise.
//
// Safe: who gets the mutex adds, who does not increments an atomic count, so both together are all six events.
// Broken: the result of trylock is not looked at, and two threads may add at the same time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3
#define EVENTS 2

static int counted;
static atomic_int skipped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *record(void *arg)
{
    (void)arg;
    for (int i = 0; i < EVENTS; i++) {
        int result = pthread_mutex_trylock(&lock);
#ifdef BROKEN
        counted++;
        if (result == 0)
            pthread_mutex_unlock(&lock);
#else
        if (result == 0) {
            counted++;
            pthread_mutex_unlock(&lock);
        } else {
            skipped++;
        }
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, record, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counted + skipped == THREADS * EVENTS);
    return 0;
}
