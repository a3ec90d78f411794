// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Any number of threads take permits, of which there are 100, and give them back. Who finds none goes away.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int permits = 100;

void *taker(void *unused)
{
    pthread_mutex_lock(&lock);
    if (permits == 0) {
        pthread_mutex_unlock(&lock);
        return unused;
    }
    permits--;
    pthread_mutex_unlock(&lock);

    int left = permits;
#ifdef BROKEN
    assert(left >= 0 && left < 99);
#else
    assert(left >= 0 && left < 100);
#endif

    pthread_mutex_lock(&lock);
    permits++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, NULL, taker, NULL);
}
