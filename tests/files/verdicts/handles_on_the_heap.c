// precise: SUCCESSFUL --threads 2
// As many handles as some number says, on the heap: their object needs no model.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int nondet_int(void);
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument)
{
    pthread_mutex_lock(&m);
    x = 1;
    x = 0;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    int count = nondet_int();
    if (count <= 0)
        return 0;
    pthread_t *handles = malloc(sizeof(pthread_t) * count);
    pthread_t others[count];
    for (int i = 0; i < count; i++) {
        pthread_create(&handles[i], 0, worker, 0);
        pthread_create(&others[i], 0, worker, 0);
    }
    pthread_mutex_lock(&m);
    assert(x == 0);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < count; i++)
        pthread_join(handles[i], 0);
    free(handles);
    return 0;
}
