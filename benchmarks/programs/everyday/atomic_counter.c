// Four threads add 3 each to an atomic counter, one by one.
//
// Safe: each increment is one atomic operation, so none is lost: 12.
// Broken: the counter is volatile and not atomic; an increment reads and writes in two steps.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 4
#endif
#define TIMES 3

#ifdef BROKEN
static volatile int counter;
#else
static atomic_int counter;
#endif

static void *count(void *arg)
{
    (void)arg;
    for (int i = 0; i < TIMES; i++)
        counter++;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS * TIMES);
    return 0;
}
