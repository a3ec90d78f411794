/* Entry by a doorway flag, safe. After Lamport: A new solution of Dijkstra's concurrent programming problem (1974)
 *
 * Assertion: the section is entered by whoever owns it.
 *
 *     sapa check bakery_flag_safe.c
 */
#include <assert.h>
#include <pthread.h>

int owner = 0;
int data = 0;

void *worker(void *arg)
{
    if (__sync_bool_compare_and_swap(&owner, 0, 1)) {
        int before = data;

        data = before + 1;
        assert(data == before + 1);
        owner = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
