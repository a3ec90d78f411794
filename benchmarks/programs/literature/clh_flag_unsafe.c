/* Hand-over of a lock, unsafe. After Craig: Building FIFO and priority-queuing spin locks from atomic swap (1993)
 *
 * Assertion: at most one is inside.
 * Bug: test and set are two steps.
 *
 *     sapa check clh_flag_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int locked = 0;
int inside = 0;

void *worker(void *arg)
{
    while (locked) {
    }
    locked = 1;
    assert(inside == 0);
    inside = 1;
    inside = 0;
    locked = 0;
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
