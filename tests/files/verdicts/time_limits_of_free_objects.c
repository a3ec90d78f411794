// precise: SUCCESSFUL --threads 0
// A wait with a limit succeeds if there is nothing to wait for (POSIX).
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

int main(void) {
    struct timespec limit = {0, 0};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    __CPROVER_assert(pthread_mutex_timedlock(&mutex, &limit) == 0, "the mutex is free");
    __CPROVER_assert(pthread_rwlock_timedwrlock(&lock, &limit) == 0, "the lock is free");
    __CPROVER_assert(sem_timedwait(&semaphore, &limit) == 0, "the semaphore is up");
    time(0);
    time(NULL);
}
