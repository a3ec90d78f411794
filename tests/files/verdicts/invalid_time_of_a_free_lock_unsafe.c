// precise: FAILED --threads 0
// glibc does not take a free read-write lock or semaphore if the time is none.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

int main(void) {
    struct timespec limit = {0, -1};
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    __CPROVER_assert(pthread_rwlock_timedrdlock(&lock, &limit) == 0, "the lock is free");
}
