// covers: recursive-mutexes
// expect: successful
// threads: 0
// Waits for a condition, and with a limit, check the mutex as its lock and unlock do.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

int main(void)
{
    struct timespec limit = {0, 0};
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    assert(pthread_cond_wait(&c, &checked) == EPERM);
    assert(pthread_cond_timedwait(&c, &checked, &limit) == EPERM);
    assert(pthread_cond_wait(&c, &recursive) == EPERM);
    assert(pthread_mutex_timedlock(&checked, &limit) == 0);
    assert(pthread_mutex_timedlock(&checked, &limit) == EDEADLK);
    assert(pthread_cond_wait(&c, &checked) == 0);
    assert(pthread_mutex_unlock(&checked) == 0);
    assert(pthread_mutex_unlock(&checked) == EPERM);
    assert(pthread_mutex_timedlock(&recursive, &limit) == 0);
    assert(pthread_mutex_timedlock(&recursive, &limit) == 0);
    assert(pthread_cond_wait(&c, &recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    return 0;
}
