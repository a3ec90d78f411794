/* Prng (lock-based), safe: a concurrent pseudorandom number generator. SAPA section 5, after
 * Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number draw numbers.
 * Assertion: the seed is in its range whenever the lock is free.
 *
 *     sapa check prng_lock_safe.c
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
    pthread_mutex_lock(&m);
    assert(seed < LIMIT);
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
