// precise: SUCCESSFUL --threads 0
// The largest and the smallest part of a second are times.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

int main(void) {
    struct timespec first = {0, 0}, last = {0, 999999999};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&mutex);
    int waited = pthread_cond_timedwait(&condition, &mutex, &last);
    __CPROVER_assert(waited == 0 || waited == ETIMEDOUT, "a valid time");
    __CPROVER_assert(pthread_mutex_timedlock(&mutex, &first) != EINVAL, "a valid time");
    __CPROVER_assert(sem_timedwait(&semaphore, &last) == 0 || errno == ETIMEDOUT, "a valid time");
}
