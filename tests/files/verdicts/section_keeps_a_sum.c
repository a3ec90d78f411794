// precise: SUCCESSFUL --engine auto
// Whichever element is counted, the sum is that of all when the lock is given back.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned part[2], total;

void *add(void *arg)
{
    int which = __VERIFIER_nondet_int() & 1;
    pthread_mutex_lock(&m);
    part[which]++;
    total++;
    assert(total == part[0] + part[1]);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_int())
        pthread_create(&t, 0, add, 0);
}
