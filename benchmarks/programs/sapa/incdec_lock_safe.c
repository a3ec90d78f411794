/* Inc./Dec. (lock-based), safe: a counter. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number increment or decrement the counter; it stays between 0 and FULL.
 * Assertion: under the lock, a step changes the counter in its direction.
 *
 *     sapa check incdec_lock_safe.c
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
    pthread_mutex_lock(&m);
    if (value != 0) {
        unsigned v = value;

        value = v - 1;
        assert(value < v);
    }
    pthread_mutex_unlock(&m);
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
