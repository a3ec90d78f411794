// covers: recursive-mutexes
// expect: successful
// threads: 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m;
int x;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    x = x + 1;
    pthread_mutex_unlock(&m);
    x = x + 1;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    pthread_create(&a, 0, worker, 0);
    worker(0);
    pthread_join(a, 0);
    assert(x == 4);
    return 0;
}
