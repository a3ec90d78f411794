// A lock for readers and a writer of a mutex and a condition variable; the writer writes two variables that readers compare.
//
// Safe: the writer waits until nobody reads and readers wait while it writes, so they see both variables equal.
// Broken: readers do not look whether the writer is active, and may see one variable changed and not the other.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writing;
static int x, y;

static void read_lock(void)
{
    pthread_mutex_lock(&lock);
#ifndef BROKEN
    while (writing)
        pthread_cond_wait(&changed, &lock);
#endif
    readers++;
    pthread_mutex_unlock(&lock);
}

static void read_unlock(void)
{
    pthread_mutex_lock(&lock);
    if (--readers == 0)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *read_both(void *arg)
{
    (void)arg;
    read_lock();
    assert(x == y);
    read_unlock();
    return NULL;
}

static void *write_both(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (readers > 0 || writing)
        pthread_cond_wait(&changed, &lock);
    writing = 1;
    pthread_mutex_unlock(&lock);
    x++;
    y++;
    pthread_mutex_lock(&lock);
    writing = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, read_both, NULL);
    pthread_create(&threads[1], NULL, read_both, NULL);
    pthread_create(&threads[2], NULL, write_both, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
