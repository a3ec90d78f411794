// Two threads scale a price each; main adds them as floating-point numbers.
//
// Safe: all numbers are small multiples of 1/8, so that nothing is rounded: 1.5 * 2 + 0.125 * 6 = 3.75.
// Broken: the second price is scaled in whole numbers, and 0.125 becomes 0.
#include <assert.h>
#include <pthread.h>

static double prices[2] = { 1.5, 0.125 };

static void *twice(void *arg)
{
    double *price = arg;
    *price = *price * 2;
    return NULL;
}

static void *six_times(void *arg)
{
    double *price = arg;
#ifdef BROKEN
    int whole = (int)*price;
    *price = whole * 6;
#else
    *price = *price * 6;
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, twice, &prices[0]);
    pthread_create(&b, NULL, six_times, &prices[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(prices[0] == 3.0);
    assert(prices[0] + prices[1] == 3.75);
    return 0;
}
