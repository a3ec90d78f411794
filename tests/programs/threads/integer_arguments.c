// covers: thread-arguments
// expect: failed
// threads: 2
#include <assert.h>
#include <pthread.h>

int x;

void *worker(void *arg)
{
    x = (int)(long)arg;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
