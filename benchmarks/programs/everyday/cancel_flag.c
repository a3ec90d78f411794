// A worker counts steps until main sets a stop flag or ten steps are done, and reports how many it did.
//
// Safe: the worker checks the flag before each step and the number of steps in the loop, so it reports at most ten.
// Broken: the step after the tenth is done before the number is compared.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define MOST 10

static atomic_int stop;
static int steps;

static void *work(void *arg)
{
    (void)arg;
#ifdef BROKEN
    do {
        steps++;
    } while (!stop && steps <= MOST);
#else
    while (!stop && steps < MOST)
        steps++;
#endif
    return NULL;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    stop = 1;
    pthread_join(worker, NULL);
    assert(steps >= 0 && steps <= MOST);
    return 0;
}
