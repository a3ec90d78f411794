// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Fifty threads increment under a mutex; whoever looks sees no more than fifty.
#include <assert.h>
#include <pthread.h>

int count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *adder(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 50; i++)
        pthread_create(&thread, NULL, adder, NULL);
    pthread_mutex_lock(&mutex);
#ifdef BROKEN
    assert(count < 1);
#else
    assert(count >= 0 && count <= 50);
#endif
    pthread_mutex_unlock(&mutex);
    return 0;
}
