// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DNO_CHECK
// precise: FAILED --property deadlock -DNO_SIGNAL
// precise: FAILED --property termination-of-joins -DNO_SIGNAL
// A thread waits for a signal: only if what it tells has not happened, or always, so that the signal may come before; or none
// is given.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

void *consumer(void *arg) {
    pthread_mutex_lock(&m);
#ifdef NO_CHECK
    pthread_cond_wait(&c, &m);
#else
    while (!ready)
        pthread_cond_wait(&c, &m);
#endif
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, consumer, 0);
    pthread_mutex_lock(&m);
    ready = 1;
#ifndef NO_SIGNAL
    pthread_cond_signal(&c);
#endif
    pthread_mutex_unlock(&m);
    pthread_join(thread, 0);
    return 0;
}
