// precise: FAILED --engine auto
// Who reads without the lock sees what stands between two stores of a critical section, if the program is not ended there.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#include <stdlib.h>
int x, y;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    if (__VERIFIER_nondet_int())
        exit(0);
    y = 1;
    pthread_mutex_unlock(&m);
    return 0;
}

void *watch(void *arg)
{
    int seen = x;
    assert(seen == 0 || y == 1);
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
