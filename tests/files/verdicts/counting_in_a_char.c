// precise: SUCCESSFUL
// A reader counts itself in eight bits, and goes back where there is no room; main is a reader before it starts others.
#include <assert.h>
#include <pthread.h>

extern int nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char readers;
static int data;

static void *reader(void *unused)
{
    pthread_mutex_lock(&lock);
    if (readers == 255) {
        pthread_mutex_unlock(&lock);
        return unused;
    }
    readers++;
    pthread_mutex_unlock(&lock);
    assert(data == 0);
    pthread_mutex_lock(&lock);
    readers--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *writer(void *unused)
{
    pthread_mutex_lock(&lock);
    if (readers == 0)
        data = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t t;

    pthread_mutex_lock(&lock);
    readers = 1;
    pthread_mutex_unlock(&lock);
    pthread_create(&t, NULL, writer, NULL);
    while (nondet_int())
        pthread_create(&t, NULL, reader, NULL);
    return 0;
}
