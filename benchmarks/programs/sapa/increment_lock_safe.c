/* Increment (lock-based), safe. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number run `increment`.
 * Assertion: the counter is above the value that the thread read before it incremented it.
 *
 *     sapa check increment_lock_safe.c
 */
#include <assert.h>
#include <pthread.h>

unsigned value = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *increment(void *arg)
{
    unsigned v;

    pthread_mutex_lock(&m);
    if (value == 0u - 1u) {
        /* The counter is full. */
        pthread_mutex_unlock(&m);
        return 0;
    }
    v = value;
    value = v + 1;
    assert(value > v);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, increment, 0);
}
