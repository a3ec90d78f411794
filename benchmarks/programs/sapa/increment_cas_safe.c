/* Increment (CAS-based), safe. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number run `increment`.
 * Assertion: the value that a successful compare-and-swap has written is above the one it replaced.
 *
 *     sapa check increment_cas_safe.c
 */
#include <assert.h>
#include <pthread.h>

unsigned value = 0;

void *increment(void *arg)
{
    unsigned v, vn;

    do {
        v = value;
        if (v == 0u - 1u)
            return 0; /* The counter is full. */
        vn = v + 1;
    } while (!__sync_bool_compare_and_swap(&value, v, vn));
    assert(vn > v);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, increment, 0);
}
