/* Entry by a doorway flag, unsafe. After Lamport: A new solution of Dijkstra's concurrent programming problem (1974)
 *
 * Assertion: the section is entered by whoever owns it.
 * Bug: ownership is looked at and taken in two steps.
 *
 *     sapa check bakery_flag_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int owner = 0;
int data = 0;

void *worker(void *arg)
{
    if (owner == 0) {
        int before;

        owner = 1;
        before = data;
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
