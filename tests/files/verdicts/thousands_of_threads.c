// precise: SUCCESSFUL --threads 10000
// The assertion is behind loops of 10,000 rounds, but does not depend on how many these are.
#include <assert.h>
#include <pthread.h>

int x;
pthread_t handles[10000];

void *worker(void *argument)
{
    x = 1;
    return 0;
}

int main(void)
{
    for (int i = 0; i < 10000; i++)
        pthread_create(&handles[i], 0, worker, 0);
    assert(x < 2);
    for (int i = 0; i < 10000; i++)
        pthread_join(handles[i], 0);
    assert(x < 2);
    return 0;
}
