/* Prng (CAS-based), safe: a concurrent pseudorandom number generator. SAPA section 5,
 * after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number draw numbers.
 * Assertion: the number drawn is in the generator's range.
 *
 *     sapa check prng_cas_safe.c
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
    assert(n < MODULUS);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, draw, 0);
}
