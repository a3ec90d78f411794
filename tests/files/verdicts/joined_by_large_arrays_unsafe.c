// precise: FAILED --threads 6
// As the other, but nobody waits for one of the threads.
// NOTE assuming that allocations succeed
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_t everybodys[10000];

void *worker(void *argument)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t own[100];
    pthread_t *some = malloc(1000 * sizeof(pthread_t));
    pthread_t *many = malloc(10000 * sizeof(pthread_t));
    for (int i = 1; i < 3; i++)
        pthread_create(&own[i], 0, worker, 0);
    pthread_create(&everybodys[9999], 0, worker, 0);
    pthread_create(some + 1, 0, worker, 0);
    pthread_create(&many[7], 0, worker, 0);
    for (int i = 1; i < 3; i++)
        pthread_join(own[i], 0);
    pthread_join(everybodys[9999], 0);
    pthread_join(many[7], 0);
    assert(x == 5);
    return 0;
}
