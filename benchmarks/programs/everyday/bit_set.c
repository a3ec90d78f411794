// Three threads set two bits each of a shared bit set.
//
// Safe: bits are set by an atomic or, so that all six are set in the end: 0x3f.
// Broken: the word is loaded, changed and stored, and a bit set in between is lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

static atomic_uint set;

static void add(unsigned bit)
{
#ifdef BROKEN
    unsigned word = atomic_load(&set);
    atomic_store(&set, word | 1u << bit);
#else
    atomic_fetch_or(&set, 1u << bit);
#endif
}

static void *run(void *arg)
{
    unsigned first = *(unsigned *)arg;
    add(first);
    add(first + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned firsts[THREADS] = { 0, 2, 4 };
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, &firsts[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&set) == 0x3f);
    return 0;
}
