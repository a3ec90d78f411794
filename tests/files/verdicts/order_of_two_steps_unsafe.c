// precise: FAILED
// Each thread keeps `behind <= ahead` at the end of its section, but a third one looks without the lock.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int behind, ahead;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *move(void *unused)
{
    pthread_mutex_lock(&lock);
    int to = __VERIFIER_nondet_int();
    if (to > behind) {
        behind = to;
        if (behind > ahead)
            ahead = behind;
    }
    assert(behind <= ahead);
    pthread_mutex_unlock(&lock);
    return unused;
}

void *look(void *unused)
{
    __CPROVER_atomic_begin();
    assert(behind <= ahead);
    __CPROVER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, move, 0);
    pthread_create(&b, 0, look, 0);
}
