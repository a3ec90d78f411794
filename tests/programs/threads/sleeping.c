// covers: sleeping
// expect: failed
// threads: 1
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

int ready;

void *worker(void *arg)
{
    ready = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    sleep(1);
    assert(ready); /* A second may not be enough. */
    return 0;
}
