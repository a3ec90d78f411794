// precise: FAILED --engine auto
// Who only tries to get a lock sees that it is held: to give it back is no part of the step that takes it.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1 - x;
    pthread_mutex_unlock(&m);
    return 0;
}

void *watch(void *arg)
{
    assert(pthread_mutex_trylock(&m) == 0);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&t, 0, worker, 0);
        pthread_create(&t, 0, watch, 0);
    }
}
