// precise: SUCCESSFUL --signed-overflow absent
// The difference of two counters is the number of threads between their increments, of which there may be any number.
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
    int of_these = finished, all = started;
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
