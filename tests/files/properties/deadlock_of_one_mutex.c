// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// precise: SUCCESSFUL --property termination-of-joins -DBROKEN
// A function locks what its caller has locked.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int size;

int is_empty(void) {
    pthread_mutex_lock(&m);
    int empty = size == 0;
    pthread_mutex_unlock(&m);
    return empty;
}

int main(void) {
#ifdef BROKEN
    pthread_mutex_lock(&m);
    int empty = is_empty();
    pthread_mutex_unlock(&m);
#else
    int empty = is_empty();
#endif
    return empty;
}
