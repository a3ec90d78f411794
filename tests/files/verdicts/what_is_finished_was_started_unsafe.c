// precise: FAILED --signed-overflow absent
// The counters are read in the other order, and more threads may finish in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int started, finished;

static void *worker(void *argument)
{
    started++;
    finished++;
    return argument;
}

static void *observer(void *argument)
{
    int all = started, of_these = finished;
    assert(of_these <= all);
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, 0, worker, 0);
        pthread_create(&thread, 0, observer, 0);
    }
}
