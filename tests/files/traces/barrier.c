// The last thread that arrives at a barrier passes it there, the others pass it afterwards.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int x;

void *worker(void *unused)
{
    x = 1;
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, worker, 0);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    assert(x == 0);
}
