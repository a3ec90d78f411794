// covers: recursive-mutexes
// expect: successful
// threads: 0
#define _GNU_SOURCE
#include <errno.h>
#include <assert.h>
#include <pthread.h>

int main(void)
{
    pthread_mutex_t m;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &kind);
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == EDEADLK);
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}
