/* Barrier of two, unsafe. After Hensgen, Finkel, Manber: Two algorithms for barrier synchronization (1988)
 *
 * Assertion: nobody is past the barrier before both have come to it.
 * Bug: the work is done after arrival.
 *
 *     sapa check spin_barrier_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int came = 0;
int first_done = 0, second_done = 0;
int taken0 = 0, taken1 = 0;

void *worker(void *arg)
{
    if (__sync_bool_compare_and_swap(&taken0, 0, 1)) {
        __sync_fetch_and_add(&came, 1);
        first_done = 1;
        while (came != 2) {
        }
        assert(second_done);
    } else if (__sync_bool_compare_and_swap(&taken1, 0, 1)) {
        __sync_fetch_and_add(&came, 1);
        second_done = 1;
        while (came != 2) {
        }
        assert(first_done);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
