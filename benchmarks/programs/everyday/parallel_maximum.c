// Three threads look for the maximum and the minimum of a slice each, and merge what they find into shared variables.
//
// Safe: comparison and assignment are made under one lock, so the largest and the smallest element survive: 9 and -4.
// Broken: the maximum is compared without the lock, and a smaller one may replace a larger one.
#include <assert.h>
#include <pthread.h>

#define LENGTH 9
#define THREADS 3

static const int values[LENGTH] = { 3, 1, 4, -4, 5, 9, 2, 6, 5 };
static int maximum = -100, minimum = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *search(void *arg)
{
    const int *slice = arg;
    int largest = slice[0], smallest = slice[0];
    for (int i = 1; i < LENGTH / THREADS; i++) {
        if (slice[i] > largest)
            largest = slice[i];
        if (slice[i] < smallest)
            smallest = slice[i];
    }
#ifdef BROKEN
    int larger = largest > maximum;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    int larger = largest > maximum;
#endif
    if (larger)
        maximum = largest;
    if (smallest < minimum)
        minimum = smallest;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, search, (void *)&values[i * (LENGTH / THREADS)]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(maximum == 9);
    assert(minimum == -4);
    return 0;
}
