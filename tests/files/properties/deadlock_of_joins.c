// precise: SUCCESSFUL --property termination-of-joins
// precise: FAILED --property termination-of-joins -DITSELF
// precise: FAILED --property termination-of-joins -DEACH_OTHER
// precise: FAILED --property deadlock -DEACH_OTHER
// Threads wait for the ends of others: of one that has ended or will, of themselves, or of each other.
#include <pthread.h>
pthread_t first, second;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *one(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#ifdef ITSELF
    pthread_join(pthread_self(), 0);
#elif defined EACH_OTHER
    pthread_join(second, 0);
#endif
    return 0;
}

void *two(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(first, 0);
    return 0;
}

int main(void) {
    pthread_mutex_lock(&m);
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, 0);
    pthread_mutex_unlock(&m);
    pthread_exit(0);
}
