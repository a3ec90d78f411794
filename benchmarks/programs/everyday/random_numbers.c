// A generator of random numbers (linear congruences) shared by two threads, which draw two numbers each.
//
// Safe: a number is drawn under the mutex, so the seed is the fourth of the series whoever drew which: 7, 48, 0, 2, 44.
// Broken: the seed is read before the mutex is taken, and a number may be drawn twice.
#include <assert.h>
#include <pthread.h>

static unsigned seed = 7;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned draw(void)
{
    unsigned number;
#ifdef BROKEN
    number = (seed * 21 + 2) % 101;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    number = (seed * 21 + 2) % 101;
#endif
    seed = number;
    pthread_mutex_unlock(&lock);
    return number;
}

static void *gamble(void *arg)
{
    unsigned *sum = arg;
    *sum = draw();
    *sum += draw();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    unsigned sums[2];
    pthread_create(&a, NULL, gamble, &sums[0]);
    pthread_create(&b, NULL, gamble, &sums[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seed == 44);
    assert(sums[0] + sums[1] == 94);
    return 0;
}
