// covers: thread-specific-data
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int value, count;

static void destroy(void *pointer)
{
    assert(pointer == &value);
    /* A value that is set again is destroyed again. */
    if (++count < 3)
        pthread_setspecific(key, pointer);
}

static void *worker(void *pointer)
{
    pthread_setspecific(key, pointer);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, worker, &value);
    pthread_join(thread, 0);
    assert(count == 3);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(count == 3);
    return 0;
}
