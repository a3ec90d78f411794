// Prefix sums of eight numbers: two threads sum up their halves, meet, and the second adds the first half's total to its own.
//
// Safe: the first half is finished at the barrier, so its total is there; the last prefix sum is 1 + ... + 8 = 36.
// Broken: the second thread adds the total before the barrier.
#include <assert.h>
#include <pthread.h>

#define LENGTH 8
#define HALF (LENGTH / 2)

static int numbers[LENGTH] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static pthread_barrier_t barrier;

static void sum_up(int *part)
{
    for (int i = 1; i < HALF; i++)
        part[i] += part[i - 1];
}

static void *lower(void *arg)
{
    (void)arg;
    sum_up(numbers);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *upper(void *arg)
{
    (void)arg;
    sum_up(numbers + HALF);
#ifndef BROKEN
    pthread_barrier_wait(&barrier);
#endif
    for (int i = HALF; i < LENGTH; i++)
        numbers[i] += numbers[HALF - 1];
#ifdef BROKEN
    pthread_barrier_wait(&barrier);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, lower, NULL);
    pthread_create(&b, NULL, upper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < LENGTH; i++)
        assert(numbers[i] == (i + 1) * (i + 2) / 2);
    return 0;
}
