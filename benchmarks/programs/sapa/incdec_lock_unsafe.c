/* Inc./Dec. (lock-based), unsafe: a counter. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: 2 suffice (the paper's version needs 3).
 * Assertion: a step changes the counter in its direction.
 * Bug: decrement does not take the lock.
 *
 *     sapa check incdec_lock_unsafe.c --threads 3
 */
#include <assert.h>
#include <pthread.h>

#define FULL 4294967295u

unsigned value = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int __VERIFIER_nondet_int(void);

void increment(void)
{
    pthread_mutex_lock(&m);
    if (value != FULL) {
        unsigned v = value;

        value = v + 1;
        assert(value > v);
    }
    pthread_mutex_unlock(&m);
}

void decrement(void)
{
    unsigned v = value;

    if (v != 0)
        value = v - 1;
}

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int())
        increment();
    else
        decrement();
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
