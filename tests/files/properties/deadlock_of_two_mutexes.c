// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// Two threads lock two mutexes, in one order or in two.
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int from = 100, to;

void *pay(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    from--, to++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

void *pay_back(void *arg) {
#ifdef BROKEN
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
#else
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
#endif
    to--, from++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, pay, 0);
    pthread_create(&two, 0, pay_back, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
