// A barrier of a mutex and a condition variable: three threads write a value each, meet, and read each other's values.
//
// Safe: nobody leaves the barrier before all three have come, so all three values are written when they are added: 6.
// Broken: the barrier waits for two threads, and the third value may be missing.
#include <assert.h>
#include <pthread.h>

#define THREADS 3
#ifdef BROKEN
#define EXPECTED 2
#else
#define EXPECTED THREADS
#endif

static int arrived;
static int values[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;

static void meet(void)
{
    pthread_mutex_lock(&lock);
    arrived++;
    if (arrived == EXPECTED)
        pthread_cond_broadcast(&all_here);
    while (arrived < EXPECTED)
        pthread_cond_wait(&all_here, &lock);
    pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
    int me = (int)(long)arg;
    values[me] = me + 1;
    meet();
    assert(values[0] + values[1] + values[2] == 6);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)(long)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
