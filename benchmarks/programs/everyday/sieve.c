// The sieve of Eratosthenes up to 20: one thread strikes out the multiples of 2, another those of 3, and main counts.
//
// Safe: a composite number below 20 has a factor 2 or 3, since 5 * 5 is 25; the primes are 2, 3, 5, 7, 11, 13, 17, 19.
// Broken: a thread starts at its number itself, and strikes out the primes 2 and 3.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define LIMIT 20

static bool struck[LIMIT];

static void *strike(void *arg)
{
    int prime = *(const int *)arg;
#ifdef BROKEN
    for (int i = prime; i < LIMIT; i += prime)
#else
    for (int i = prime * prime; i < LIMIT; i += prime)
#endif
        struck[i] = true;
    return NULL;
}

int main(void)
{
    pthread_t twos, threes;
    const int two = 2, three = 3;
    int primes = 0;
    pthread_create(&twos, NULL, strike, (void *)&two);
    pthread_create(&threes, NULL, strike, (void *)&three);
    pthread_join(twos, NULL);
    pthread_join(threes, NULL);
    for (int i = 2; i < LIMIT; i++)
        if (!struck[i])
            primes++;
    assert(primes == 8);
    return 0;
}
