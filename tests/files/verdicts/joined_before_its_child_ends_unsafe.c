// precise: FAILED --engine auto
// A thread has ended, but one that it has started has not.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *child(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    x = 0;
    pthread_mutex_unlock(&m);
    return 0;
}

void *parent(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, parent, 0);
    pthread_join(t, 0);
    assert(x == 0);
}
