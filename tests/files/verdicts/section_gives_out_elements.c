// precise: SUCCESSFUL --engine auto
// An index that is taken under a lock is that of one thread; what it does there needs no lock.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int next, slot[4];

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    int mine = next;
    if (next < 4)
        next++;
    pthread_mutex_unlock(&m);
    if (mine >= 4)
        return 0;
    assert(slot[mine] == 0);
    slot[mine] = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_int())
        pthread_create(&t, 0, worker, 0);
}
