// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DBROKEN
// Threads are handed parts of an array: that of the second one is too long.
#include <pthread.h>
int numbers[8], sums[2];
struct job {
    int *first, count, *sum;
};

void *add(void *argument) {
    struct job *job = argument;
    for (int i = 0; i < job->count; i++)
        *job->sum += job->first[i];
    return 0;
}

int main(void) {
    pthread_t threads[2];
    struct job jobs[2];
    for (int i = 0; i < 2; i++) {
        jobs[i].first = numbers + 4 * i;
#ifdef BROKEN
        jobs[i].count = 5;
#else
        jobs[i].count = 4;
#endif
        jobs[i].sum = &sums[i];
        pthread_create(&threads[i], 0, add, &jobs[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return sums[0] + sums[1];
}
