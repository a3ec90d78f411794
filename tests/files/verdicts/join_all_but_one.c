// sound: FAILED
// One thread is not joined, and may not have counted when main looks.
#include <assert.h>
#include <pthread.h>

extern int nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[1000];
static int done;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int n = nondet_int();

    if (n < 1 || n > 1000)
        return 0;
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
    assert(done == n);
    return 0;
}
