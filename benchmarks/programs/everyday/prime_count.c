// Two threads count the primes below 30 by trial division, one among the odd numbers 3, 7, 11, ... and one among 5, 9, 13, ...
//
// Safe: every odd number is looked at by one thread; with 2 there are ten primes below 30.
// Broken: division is tried below the square root only, so that 9 and 25 count as primes.
#include <assert.h>
#include <pthread.h>

#define LIMIT 30

static int is_prime(int n)
{
#ifdef BROKEN
    for (int d = 3; d * d < n; d += 2)
#else
    for (int d = 3; d * d <= n; d += 2)
#endif
        if (n % d == 0)
            return 0;
    return 1;
}

static void *count(void *arg)
{
    long found = 0;
    for (int n = (int)(long)arg; n < LIMIT; n += 4)
        found += is_prime(n);
    return (void *)found;
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, NULL, count, (void *)3L);
    pthread_create(&b, NULL, count, (void *)5L);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert(1 + (long)first + (long)second == 10);
    return 0;
}
