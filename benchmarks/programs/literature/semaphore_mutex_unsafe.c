/* Mutual exclusion by a counting semaphore, unsafe. After Dijkstra: Cooperating sequential processes (1965)
 *
 * Assertion: at most one is inside.
 * Bug: a permit is drawn after it was seen.
 *
 *     sapa check semaphore_mutex_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int permits = 1;
int inside = 0;

void *worker(void *arg)
{
    while (permits <= 0) {
    }
    __sync_fetch_and_sub(&permits, 1);
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
