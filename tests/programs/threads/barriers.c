// covers: barriers
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>

pthread_barrier_t b;
int x, y;

void *worker(void *arg)
{
    x = 1;
    pthread_barrier_wait(&b);
    assert(y == 1);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&a, 0, worker, 0);
    y = 1;
    pthread_barrier_wait(&b);
    assert(x == 1);
    return 0;
}
