/* Mutual exclusion by a counting semaphore, safe. After Dijkstra: Cooperating sequential processes (1965)
 *
 * Assertion: at most one is inside.
 *
 *     sapa check semaphore_mutex_safe.c
 */
#include <assert.h>
#include <pthread.h>

int permits = 1;
int inside = 0;

void *worker(void *arg)
{
    int seen;

    do {
        seen = permits;
    } while (seen <= 0 || !__sync_bool_compare_and_swap(&permits, seen, seen - 1));
    assert(inside == 0);
    inside = 1;
    inside = 0;
    __sync_fetch_and_add(&permits, 1);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
