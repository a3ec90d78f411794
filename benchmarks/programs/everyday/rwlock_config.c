// A configuration of host and port under a pthread_rwlock: two threads read it, one replaces it.
//
// Safe: readers hold the lock for reading while they read both, so they see the old pair or the new one.
// Broken: the writer takes the lock for reading as well, which keeps readers in.
#include <assert.h>
#include <pthread.h>

struct config {
    int host;
    int port;
};

static struct config config = { 1, 80 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *read_config(void *arg)
{
    struct config mine;
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    mine = config;
    pthread_rwlock_unlock(&lock);
    assert((mine.host == 1 && mine.port == 80) || (mine.host == 2 && mine.port == 443));
    return NULL;
}

static void *replace_config(void *arg)
{
    (void)arg;
#ifdef BROKEN
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    config.host = 2;
    config.port = 443;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, read_config, NULL);
    pthread_create(&threads[1], NULL, replace_config, NULL);
    pthread_create(&threads[2], NULL, read_config, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(config.host == 2);
    return 0;
}
