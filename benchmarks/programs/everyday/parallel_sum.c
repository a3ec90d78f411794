// Three threads add the elements of a slice each; main adds what they found.
//
// Safe: the slices cover the array without overlap, and each thread writes a place of its own; 1 + ... + 12 = 78.
// Broken: a slice starts one element late, so the first element of each slice is missing.
#include <assert.h>
#include <pthread.h>

#define LENGTH 12
#define THREADS 3

struct slice {
    int begin;
    int end;
    int sum;
};

static int values[LENGTH];

static void *add(void *arg)
{
    struct slice *slice = arg;
    int sum = 0;
    for (int i = slice->begin; i < slice->end; i++)
        sum += values[i];
    slice->sum = sum;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct slice slices[THREADS];
    int total = 0;

    for (int i = 0; i < LENGTH; i++)
        values[i] = i + 1;
    for (int t = 0; t < THREADS; t++) {
        slices[t].begin = t * LENGTH / THREADS;
#ifdef BROKEN
        slices[t].begin++;
#endif
        slices[t].end = (t + 1) * LENGTH / THREADS;
        pthread_create(&threads[t], NULL, add, &slices[t]);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        total += slices[t].sum;
    }
    assert(total == 78);
    return 0;
}
