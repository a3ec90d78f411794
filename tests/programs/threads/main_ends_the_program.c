// covers: threads
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>

int x;

void *worker(void *arg)
{
    x = 1;
    x = 0;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    assert(x < 2);
    pthread_exit(0);
}
