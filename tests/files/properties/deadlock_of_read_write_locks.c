// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// Two readers, each of which wants to write without having given back what it read by.
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int count;

void *update(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int found = count;
#ifndef BROKEN
    pthread_rwlock_unlock(&lock);
#endif
    pthread_rwlock_wrlock(&lock);
    count = found + 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, update, 0);
    pthread_create(&two, 0, update, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
