// covers: barriers
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>

pthread_barrier_t b;
int told;

void *worker(void *arg)
{
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        __sync_fetch_and_add(&told, 1);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&a, 0, worker, 0);
    worker(0);
    pthread_join(a, 0);
    assert(told == 1);
    return 0;
}
