// precise: FAILED --threads 2
// The times that are read have nothing to do with the failure.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static int count;

static void *adds(void *argument)
{
    int before = count;
    count = before + 1;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_create(&one, 0, adds, 0);
    pthread_create(&two, 0, adds, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert(end.tv_sec > start.tv_sec || (end.tv_sec == start.tv_sec && end.tv_nsec >= start.tv_nsec));
    assert(count == 2);
    return 0;
}
