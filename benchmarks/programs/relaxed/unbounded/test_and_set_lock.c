/* Test-and-set lock. After Mellor-Crummey and Scott: Algorithms for scalable synchronization (1991)
 *
 * Threads: any number take the lock.
 * Assertion: what the holder writes is not changed by others while it holds the lock.
 * -DEARLY: the lock is released before the holder has read.
 * -DPLAIN: the lock is released by a plain store, which under PSO can come before what the holder wrote.
 *
 *     sapa check test_and_set_lock.c
 */
#include <assert.h>
#include <pthread.h>

int lock = 0;
unsigned owner_data = 0;

unsigned __VERIFIER_nondet_uint(void);

static void release(void)
{
#ifdef PLAIN
    lock = 0;
#else
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
#endif
}

void *worker(void *arg)
{
    unsigned mine = __VERIFIER_nondet_uint() % 4, seen;

    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
    }
    owner_data = mine;
#ifdef EARLY
    release();
    seen = owner_data;
#else
    seen = owner_data;
    release();
#endif
    assert(seen == mine);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
