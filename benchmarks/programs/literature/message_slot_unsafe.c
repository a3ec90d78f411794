/* Message in a slot, unsafe. After the flag idiom of Adve and Gharachorloo: Shared memory consistency models (1996)
 *
 * Assertion: the receiver sees the message whole.
 * Bug: the flag is set in between.
 *
 *     sapa check message_slot_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int full = 0;
int low = 0, high = 0;
int sender = 0;

int __VERIFIER_nondet_int(void);

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int()) {
        if (__sync_bool_compare_and_swap(&sender, 0, 1)) {
            low = 3;
            full = 1;
            high = 4;
        }
    } else if (full) {
        assert(low == 3 && high == 4);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
