// A bridge with one lane: two cars come from the left and two from the right; cars of one direction may cross together.
//
// Safe: a car waits while cars of the other direction are on the bridge, under the mutex under which they are counted.
// Broken: a car that has waited once goes on without looking again.
#include <assert.h>
#include <pthread.h>

#define CARS 4

static int crossing[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };

static void *car(void *arg)
{
    int side = (int)((long)arg % 2);
    int other = 1 - side;
    pthread_mutex_lock(&lock);
#ifdef BROKEN
    if (crossing[other] > 0)
#else
    while (crossing[other] > 0)
#endif
        pthread_cond_wait(&left[other], &lock);
    crossing[side]++;
    assert(crossing[other] == 0);
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
    crossing[side]--;
    if (crossing[side] == 0)
        pthread_cond_broadcast(&left[side]);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t cars[CARS];
    for (long i = 0; i < CARS; i++)
        pthread_create(&cars[i], NULL, car, (void *)i);
    for (int i = 0; i < CARS; i++)
        pthread_join(cars[i], NULL);
    return 0;
}
