// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// Two readers and a writer, who locks as a reader where it is broken.
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int table[3];

void *sum(void *arg) {
    long sum = 0;
    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 3; i++)
        sum += table[i];
    pthread_rwlock_unlock(&lock);
    return (void *)sum;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, sum, 0);
    pthread_create(&two, 0, sum, 0);
#ifdef BROKEN
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    table[1] = 5;
    pthread_rwlock_unlock(&lock);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
