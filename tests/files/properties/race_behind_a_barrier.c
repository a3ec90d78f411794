// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// Each thread reads behind the barrier what the other one has written before it.
#include <pthread.h>
pthread_barrier_t barrier;
int a, b;

void *one(void *arg) {
    a = 1;
    pthread_barrier_wait(&barrier);
    return (void *)(long)b;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, one, 0);
#ifndef BROKEN
    b = 1;
#endif
    pthread_barrier_wait(&barrier);
#ifdef BROKEN
    b = 1;
#endif
    pthread_join(thread, 0);
    return a;
}
