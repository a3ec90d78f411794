// covers: once
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

pthread_once_t control = PTHREAD_ONCE_INIT;
int x;

void initialise(void)
{
    x++;
}

void *worker(void *arg)
{
    pthread_once(&control, initialise);
    assert(x == 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 1);
    return 0;
}
