// A spinlock by exchange protects a counter and its copy; three threads change both.
//
// Safe: the exchange returns 0 to one thread until it stores 0 again, so between lock and unlock the two are equal.
// Broken: the lock is tested by a load and then stored, and two threads may both see it free.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

static atomic_int locked;
static int counter, copy;

static void spin_lock(void)
{
#ifdef BROKEN
    while (atomic_load(&locked))
        ;
    atomic_store(&locked, 1);
#else
    while (atomic_exchange(&locked, 1))
        ;
#endif
}

static void spin_unlock(void)
{
    atomic_store(&locked, 0);
}

static void *run(void *arg)
{
    (void)arg;
    spin_lock();
    assert(counter == copy);
    counter++;
    copy++;
    spin_unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
