/* A counter that is incremented by compare-and-swap. After Goetz et al.: Java concurrency in practice (2006)
 *
 * Threads: any number count once each, and say so.
 * Assertion: where one has said so, something was counted.
 * -DEARLY: a thread says so before it has counted.
 * -DPLAIN: a thread counts by a plain store, which under PSO can come after what it says.
 *
 *     sapa check counter.c
 */
#include <assert.h>
#include <pthread.h>

unsigned counter = 0;
int counted = 0;

void *worker(void *arg)
{
    unsigned seen;

    if (counted)
        assert(counter > 0);
#ifdef EARLY
    counted = 1;
#endif
    do {
        seen = counter;
        if (seen == 0u - 1u)
            return 0; /* The counter is full. */
#ifdef PLAIN
        counter = seen + 1;
    } while (0);
#else
    } while (!__sync_bool_compare_and_swap(&counter, seen, seen + 1));
#endif
#ifndef EARLY
    counted = 1;
#endif
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
