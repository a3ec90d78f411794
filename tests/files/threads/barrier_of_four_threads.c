// precise: SUCCESSFUL
// A barrier made of a mutex and a condition variable, and what is read behind it without the mutex.
#include <assert.h>
#include <pthread.h>

#define THREADS 4
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static int arrived;
static int numbers[THREADS] = {1, 2, 3, 4};

static void wait_for_all(void)
{
    pthread_mutex_lock(&mutex);
    if (++arrived == THREADS)
        pthread_cond_broadcast(&all);
    while (arrived < THREADS)
        pthread_cond_wait(&all, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *add(void *argument)
{
    int me = (int)(long)argument;
    int left = me > 0 ? numbers[me - 1] : 0;
    wait_for_all();
    numbers[me] += left;
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, add, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(numbers[0] == 1 && numbers[1] == 3 && numbers[2] == 5 && numbers[3] == 7);
    return 0;
}
