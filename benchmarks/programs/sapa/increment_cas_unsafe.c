/* Increment (CAS-based), unsafe. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: 2 suffice, running `increment`.
 * Assertion: the counter is above the value that the thread has replaced.
 * Bug: the counter itself is read again, after another thread has reset it.
 *
 *     sapa check increment_cas_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

#define FULL 1u

unsigned value = 0;

void *increment(void *arg)
{
    unsigned v, vn;

    do {
        v = value;
        vn = v == FULL ? 0 : v + 1;
    } while (!__sync_bool_compare_and_swap(&value, v, vn));
    assert(v == FULL || value > v);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, increment, 0);
}
