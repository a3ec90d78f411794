// precise: FAILED --threads 2
// The second of the numbers is too large.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

void *worker(void *argument)
{
    size_t id = (size_t)argument;
    assert(id < 2);
    return 0;
}

int main(void)
{
    pthread_t thread;
    for (uintptr_t i = 1; i < 3; i++)
        pthread_create(&thread, 0, worker, (void *)i);
    return 0;
}
