/* Test-and-set lock, safe. SAPA section 5, after Mellor-Crummey and Scott (1991).
 *
 * Threads: any number take the lock.
 * Assertion: what the holder writes is not changed by others while it holds the lock.
 *
 *     sapa check tas_lock_safe.c
 */
#include <assert.h>
#include <pthread.h>

int lock = 0;
unsigned owner_data = 0;

unsigned __VERIFIER_nondet_uint(void);

void *worker(void *arg)
{
    unsigned mine = __VERIFIER_nondet_uint();

    while (__sync_lock_test_and_set(&lock, 1)) {
    }
    owner_data = mine;
    assert(owner_data == mine);
    __sync_lock_release(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
