// A cache is filled on first use with double-checked locking by one of three threads.
//
// Safe: the flag is set when the value has been computed, so who sees the flag sees the value, and it is computed once.
// Broken: the flag is set before the value is there, and a thread that does not lock may read 0.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

static atomic_int filled;
static int value;
static int computations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int compute(void)
{
    computations++;
    return 6 * 7;
}

static int cached(void)
{
    if (!atomic_load(&filled)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&filled)) {
#ifdef BROKEN
            atomic_store(&filled, 1);
            value = compute();
#else
            value = compute();
            atomic_store(&filled, 1);
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    return value;
}

static void *use(void *arg)
{
    (void)arg;
    assert(cached() == 42);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(computations == 1);
    return 0;
}
