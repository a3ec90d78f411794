// Two threads compute greatest common divisors by Euclid's algorithm, and main that of their results.
//
// Safe: gcd(48, 36) = 12 and gcd(30, 18) = 6, and gcd(12, 6) = 6.
// Broken: the function returns the operand that has become 0.
#include <assert.h>
#include <pthread.h>

struct pair {
    unsigned a;
    unsigned b;
    unsigned result;
};

static unsigned gcd(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
#ifdef BROKEN
    return b;
#else
    return a;
#endif
}

static void *compute(void *arg)
{
    struct pair *pair = arg;
    pair->result = gcd(pair->a, pair->b);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    struct pair first = { 48, 36, 0 };
    struct pair second = { 30, 18, 0 };
    pthread_create(&one, NULL, compute, &first);
    pthread_create(&two, NULL, compute, &second);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(gcd(first.result, second.result) == 6);
    return 0;
}
