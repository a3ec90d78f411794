// precise: SUCCESSFUL --threads 0
// A wait with a limit that is no time fails where there is something to wait for.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

int main(void) {
    struct timespec early = {0, -1}, late = {0, 1000000000};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    sem_t semaphore;
    mtx_t other;
    cnd_t changed;
    sem_init(&semaphore, 0, 0);
    mtx_init(&other, mtx_timed);
    cnd_init(&changed);
    __CPROVER_assert(pthread_mutex_timedlock(&mutex, &late) == 0, "the mutex is free");
    __CPROVER_assert(pthread_mutex_timedlock(&mutex, &late) == EINVAL, "it is taken");
    __CPROVER_assert(pthread_cond_timedwait(&condition, &mutex, &early) == EINVAL, "early");
    mtx_lock(&other);
    __CPROVER_assert(mtx_timedlock(&other, &early) == thrd_error, "the C11 mutex is taken");
    __CPROVER_assert(cnd_timedwait(&changed, &other, &late) == thrd_error, "late");
    pthread_rwlock_rdlock(&lock);
    __CPROVER_assert(pthread_rwlock_timedwrlock(&lock, &early) == EINVAL, "somebody reads");
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    __CPROVER_assert(pthread_rwlock_timedrdlock(&lock, &late) == EINVAL, "somebody writes");
    errno = 0;
    __CPROVER_assert(sem_timedwait(&semaphore, &early) == -1 && errno == EINVAL, "it is down");
}
