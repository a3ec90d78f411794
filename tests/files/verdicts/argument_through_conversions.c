// precise: SUCCESSFUL --threads 2
// A number reaches a thread through variables and conversions as it does without them.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int slot[4];

void *worker(void *argument)
{
    short id = (short)(intptr_t)argument;
    assert(id == 1 || id == 2);
    slot[id] = 1;
    return 0;
}

int main(void)
{
    short first = 1;
    uintptr_t second = first + 1;
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)(intptr_t)first);
    pthread_create(&b, 0, worker, (void *)second);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(slot[0] == 0 && slot[1] == 1 && slot[2] == 1 && slot[3] == 0);
    return 0;
}
