/* Prng (lock-based), unsafe: a concurrent pseudorandom number generator. SAPA section 5, after
 * Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number draw numbers.
 * Assertion: the seed is in its range whenever it is read.
 * Bug: the assertion is checked before the lock is taken.
 *
 *     sapa check prng_lock_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

#define LIMIT 16u

unsigned seed = 1;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

unsigned next(unsigned s)
{
    return (s * 5u + 3u) & (LIMIT - 1u);
}

void *draw(void *arg)
{
    assert(seed < LIMIT);
    pthread_mutex_lock(&m);
    seed = seed + LIMIT;
    seed = next(seed);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, draw, 0);
}
