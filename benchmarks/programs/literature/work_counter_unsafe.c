/* Work counter, unsafe. After Goetz et al.: Java concurrency in practice (2006)
 *
 * Assertion: nobody works beyond the last item.
 * Bug: the end is looked for before the item is drawn.
 *
 *     sapa check work_counter_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

#define ITEMS 10
int next = 0;

void *worker(void *arg)
{
    int mine;

    if (next >= 1)
        return 0;
    mine = __sync_fetch_and_add(&next, 1);
    assert(mine < 1);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
