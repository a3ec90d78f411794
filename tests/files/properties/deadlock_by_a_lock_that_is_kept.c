// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// precise: SUCCESSFUL --property deadlock -DTIMED -DBROKEN
// A thread ends without giving its lock back where it finds an error. Who waits with a limit of time goes on.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct timespec limit;

void *work(void *arg) {
    pthread_mutex_lock(&m);
    if (__VERIFIER_nondet_int()) {
#ifndef BROKEN
        pthread_mutex_unlock(&m);
#endif
        pthread_exit(0);
    }
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
#ifdef TIMED
    if (pthread_mutex_timedlock(&m, &limit))
        return 1;
#else
    pthread_mutex_lock(&m);
#endif
    pthread_mutex_unlock(&m);
    return 0;
}
