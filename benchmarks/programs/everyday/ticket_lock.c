// A ticket lock serves three threads in the order of their tickets.
//
// Safe: tickets are taken by an atomic addition, so one thread at a time is served, and all three additions count.
// Broken: a ticket is taken by a load and a store; two threads may hold the same one and are served together.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

static atomic_uint next_ticket, now_serving;
static int counter;

static void lock(void)
{
#ifdef BROKEN
    unsigned mine = atomic_load(&next_ticket);
    atomic_store(&next_ticket, mine + 1);
#else
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
#endif
    while (atomic_load(&now_serving) != mine)
        ;
}

static void unlock(void)
{
    atomic_fetch_add(&now_serving, 1);
}

static void *run(void *arg)
{
    (void)arg;
    lock();
    int before = counter;
    counter = before + 1;
    assert(counter == before + 1);
    unlock();
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
