/* Work counter, safe. After Goetz et al.: Java concurrency in practice (2006)
 *
 * Assertion: nobody works beyond the last item.
 *
 *     sapa check work_counter_safe.c
 */
#include <assert.h>
#include <pthread.h>

#define ITEMS 10
int next = 0;

void *worker(void *arg)
{
    int mine;

    while (1) {
        mine = next;
        if (mine >= ITEMS)
            return 0;
        if (__sync_bool_compare_and_swap(&next, mine, mine + 1))
            break;
    }
    assert(mine < ITEMS && next <= ITEMS);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
