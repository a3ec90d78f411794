/* Slots of an array, unsafe. After Anderson: The performance of spin lock alternatives (1990)
 *
 * Assertion: a slot is used by the one that has taken it.
 * Bug: the slot is given back before its use has ended.
 *
 *     sapa check array_slots_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int slots[2];
int uses[2];

int __VERIFIER_nondet_int(void);

void *worker(void *arg)
{
    int i = __VERIFIER_nondet_int() ? 1 : 0;

    if (__sync_bool_compare_and_swap(&slots[0], 0, 1)) {
        assert(uses[i] == 0);
        uses[i] = 1;
        slots[0] = 0;
        uses[i] = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
