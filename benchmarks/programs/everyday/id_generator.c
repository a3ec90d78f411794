// Three threads draw two identifiers each from a generator; no two identifiers are the same.
//
// Safe: fetch-and-add returns the old value and moves on in one step, so the six values are different.
// Broken: the value is incremented atomically and then read by itself, and two threads may read the same.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3
#define EACH 2

static atomic_int last_id;
static int ids[THREADS * EACH];

static int next_id(void)
{
#ifdef BROKEN
    atomic_fetch_add(&last_id, 1);
    return atomic_load(&last_id);
#else
    return atomic_fetch_add(&last_id, 1) + 1;
#endif
}

static void *draw(void *arg)
{
    int *mine = arg;
    for (int i = 0; i < EACH; i++)
        mine[i] = next_id();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, draw, &ids[i * EACH]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS * EACH; i++)
        for (int j = 0; j < i; j++)
            assert(ids[i] != ids[j]);
    return 0;
}
