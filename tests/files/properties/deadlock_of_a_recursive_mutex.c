// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// A recursive mutex can be locked again, and has to be unlocked as often.
#define _GNU_SOURCE
#include <pthread.h>
pthread_mutex_t m;

void *other(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#ifndef BROKEN
    pthread_mutex_unlock(&m);
#endif
    pthread_join(thread, 0);
    return 0;
}
