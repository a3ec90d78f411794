// covers: detached-threads
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>

int x;

void *worker(void *arg)
{
    pthread_detach(pthread_self());
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&a, &attributes, worker, 0);
    pthread_attr_destroy(&attributes);
    assert(x == 0 || x == 1);
    return 0;
}
