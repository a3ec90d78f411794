// covers: thread-specific-data
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int one = 1, two = 2;

void *worker(void *arg)
{
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, arg);
    assert(*(int *)pthread_getspecific(key) == *(int *)arg);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_key_create(&key, 0);
    pthread_create(&a, 0, worker, &one);
    pthread_create(&b, 0, worker, &two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(pthread_getspecific(key) == 0);
    pthread_key_delete(key);
    return 0;
}
