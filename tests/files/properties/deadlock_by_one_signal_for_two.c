// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// Two threads wait for one thing, and only one of them is told; or both are.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int open;

void *pass(void *arg) {
    pthread_mutex_lock(&m);
    while (!open)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, pass, 0);
    pthread_create(&two, 0, pass, 0);
    pthread_mutex_lock(&m);
    open = 1;
#ifdef BROKEN
    pthread_cond_signal(&c);
#else
    pthread_cond_broadcast(&c);
#endif
    pthread_mutex_unlock(&m);
    pthread_exit(0);
}
