/* Increment (lock-based), unsafe. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: 2 suffice, running `increment`.
 * Assertion: the counter is above the value that the thread read before it incremented it.
 * Bug: the counter is reset when it is full, and the check comes after the unlock: the other
 * thread resets the counter between the unlock and the check.
 *
 *     sapa check increment_lock_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

#define FULL 2u

unsigned value = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *increment(void *arg)
{
    unsigned v;

    pthread_mutex_lock(&m);
    if (value == FULL) {
        value = 0;
        pthread_mutex_unlock(&m);
        return 0;
    }
    v = value;
    value = v + 1;
    pthread_mutex_unlock(&m);
    assert(value > v);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, increment, 0);
}
