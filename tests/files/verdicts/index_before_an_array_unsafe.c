// precise: FAILED
// The second thread may find the index that the first one was to have.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *array, last = -1;

void *worker(void *argument)
{
    array[last] = 1;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    array = calloc(2, sizeof *array);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], 0, worker, 0);
        last++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(array[0] + array[1] == 2);
    return 0;
}
