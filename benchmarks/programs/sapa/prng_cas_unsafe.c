/* Prng (CAS-based), unsafe: a concurrent pseudorandom number generator. SAPA section 5,
 * after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: 3 suffice.
 * Assertion: the seed is no longer the one that the thread has replaced.
 * Bug: the seed is read again; two other threads take the generator round its period.
 *
 *     sapa check prng_cas_unsafe.c --threads 3
 */
#include <assert.h>
#include <pthread.h>

/* A multiplicative generator: 1, 2, 4, 1, ... */
#define MODULUS 7u

unsigned seed = 1;

unsigned next(unsigned s)
{
    unsigned n = s + s;

    return n >= MODULUS ? n - MODULUS : n;
}

void *draw(void *arg)
{
    unsigned s, n;

    do {
        s = seed;
        n = next(s);
    } while (!__sync_bool_compare_and_swap(&seed, s, n));
    assert(seed != s);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, draw, 0);
}
