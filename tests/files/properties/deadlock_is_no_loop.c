// precise: SUCCESSFUL --property deadlock
// precise: SUCCESSFUL --property deadlock -DEXIT
// Who goes round a loop does not wait, and a program that ends is in no deadlock.
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
volatile int stop;

void *work(void *arg) {
    pthread_mutex_lock(&m);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&m);
    pthread_create(&thread, 0, work, 0);
#ifdef EXIT
    exit(0);
#else
    while (!stop)
        ;
#endif
    return 0;
}
