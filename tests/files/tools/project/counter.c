#include "limit.h"
#include <assert.h>
#include <pthread.h>

int count;

void *worker(void *argument)
{
    count += STEP;
    return 0;
}

int start(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(count == LIMIT);
    return 0;
}
