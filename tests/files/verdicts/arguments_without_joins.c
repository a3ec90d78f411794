// precise: SUCCESSFUL --threads 2
// Threads that nobody joins have one of the numbers that they are started with.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int slot[4];

void *worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    assert(id >= 1 && id < 3);
    slot[id] = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    for (int i = 1; i < 3; i++)
        pthread_create(&thread, 0, worker, (void *)(intptr_t)i);
    assert(slot[0] == 0 && slot[3] == 0);
    return 0;
}
