// sound: SUCCESSFUL --property deadlock --timeout 10
// precise: FAILED --property deadlock -DBROKEN
// Any number of threads with one lock, which the initial thread keeps where it is broken.
#include <pthread.h>
int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *work(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t thread;
#ifdef BROKEN
    pthread_mutex_lock(&m);
#endif
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, work, 0);
    pthread_exit(0);
}
