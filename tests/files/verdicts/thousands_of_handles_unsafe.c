// precise: FAILED --threads 1
// The assertion does not depend on the handles.
#include <assert.h>
#include <pthread.h>

int x;
pthread_t handles[10000];
int nondet_int(void);

void *worker(void *argument)
{
    x = 1;
    return 0;
}

int main(void)
{
    int count = nondet_int();
    if (count > 10000)
        return 0;
    for (int i = 0; i < count; i++)
        pthread_create(&handles[i], 0, worker, 0);
    assert(x == 0);
    for (int i = 0; i < count; i++)
        pthread_join(handles[i], 0);
    return 0;
}
