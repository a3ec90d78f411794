// precise: SUCCESSFUL --threads 2
// Nothing that matters reads the handles: neither an assertion nor, in what is followed, the joins.
// NOTE assuming valid pointers and array indices
#include <assert.h>
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_t handles[10000];
int nondet_int(void);

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
    if (count > 10000)
        return 0;
    pthread_t own[10000];
    for (int i = 0; i < count; i++) {
        pthread_create(&handles[i], 0, worker, 0);
        pthread_create(&own[i], 0, worker, 0);
    }
    pthread_mutex_lock(&m);
    assert(x == 0);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < count; i++)
        pthread_join(handles[i], 0);
    return 0;
}
