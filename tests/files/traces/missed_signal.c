// A consumer that is woken does not look again whether there is something.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

void *consumer(void *unused)
{
    pthread_mutex_lock(&m);
    if (items == 0)
        pthread_cond_wait(&filled, &m);
    items--;
    assert(items >= 0);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, consumer, 0);
    pthread_create(&second, 0, consumer, 0);
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
    pthread_join(first, 0);
    pthread_join(second, 0);
}
