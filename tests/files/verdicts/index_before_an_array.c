// precise: SUCCESSFUL
// Where the index is still -1, the store is before the array: such a run is not followed. The index is
// known there when the program is unfolded first, so that the address is one number.
#include <assert.h>
#include <pthread.h>

int *array, buffer[3], last = -1;

void *worker(void *argument)
{
    array[last] = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    array = buffer;
    pthread_create(&thread, 0, worker, 0);
    last++;
    pthread_join(thread, 0);
    assert(array[0] == 1);
    return 0;
}
