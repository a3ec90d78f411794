// precise: FAILED
// precise: FAILED -DMUTEX
// precise: FAILED -DSTATEMENT --atomicity statement
// precise: FAILED -DLOOP
// Ways meet within an atomic section, one of which has started a thread and the other has not: what the other
// has stored is there when the lock is taken.
#include <assert.h>
#include <pthread.h>
int x, lock;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int __VERIFIER_nondet_int(void);

void *worker(void *unused)
{
#ifdef MUTEX
    pthread_mutex_lock(&m);
    assert(x == 0);
    x = 0;
    pthread_mutex_unlock(&m);
#else
    __CPROVER_atomic_begin();
    __CPROVER_assume(lock == 0);
    lock = 1;
    __CPROVER_atomic_end();
#if defined STATEMENT || defined LOOP
    assert(x == 0);
#else
    assert(0);
#endif
    x = 0;
    lock = 0;
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef STATEMENT
    int result = __VERIFIER_nondet_int() ? pthread_create(&thread, 0, worker, 0) : (x = 5);
#elif defined LOOP
    __CPROVER_atomic_begin();
    while (__VERIFIER_nondet_int()) {
        __CPROVER_assume(lock == 0);
        lock = 1;
        x = 3;
        lock = 0;
        pthread_create(&thread, 0, worker, 0);
    }
    __CPROVER_atomic_end();
#elif defined MUTEX
    __CPROVER_atomic_begin();
    if (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, worker, 0);
    else
        x = 5;
    __CPROVER_atomic_end();
#else
    __CPROVER_atomic_begin();
    if (x)
        pthread_create(&thread, 0, worker, 0);
    __CPROVER_atomic_end();
#endif
    pthread_create(&thread, 0, worker, 0);
    return 0;
}
