// precise: FAILED
// A lock that is tried is seen taken, though whoever holds it does nothing in between that others see.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int result = pthread_mutex_trylock(&mutex);
    assert(result == 0);
    x++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
