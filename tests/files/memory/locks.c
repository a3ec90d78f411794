// What is done holding a common lock is seen by nobody while it waits: the program is robust.
// RUN: for lock in MUTEX SPIN OWN EXCHANGE; do echo "$lock"; sapa check --mm pso -q -D$lock %s || echo "exit $?"; done
// Where the lock may be seen free before what was stored, or is given up by who may not hold it, it is not.
// RUN: sapa check --mm tso -q -DOWN -DPLAIN %s || echo "exit $?"
// RUN: sapa check --mm pso -q -DOWN -DPLAIN %s | tail -1
// RUN: sapa check --mm tso -q -DMUTEX -DTWICE %s | tail -1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x = 0, y = 0, l = 0;
int r0 = 1, r1 = 1;
pthread_mutex_t m;
pthread_spinlock_t s;

#if defined MUTEX
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#elif defined SPIN
#define LOCK pthread_spin_lock(&s)
#define UNLOCK pthread_spin_unlock(&s)
#elif defined OWN
#define LOCK while (__sync_lock_test_and_set(&l, 1))
#if defined PLAIN
#define UNLOCK l = 0
#else
#define UNLOCK __sync_lock_release(&l)
#endif
#elif defined EXCHANGE
#define LOCK while (!__sync_bool_compare_and_swap(&l, 0, 1))
#define UNLOCK __atomic_store_n(&l, 0, __ATOMIC_RELEASE)
#endif

void *first(void *arg)
{
#if defined TWICE
    UNLOCK;
#endif
    LOCK;
    x = 1;
    r0 = y;
    UNLOCK;
    return 0;
}

void *second(void *arg)
{
    LOCK;
    y = 1;
    r1 = x;
    UNLOCK;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_mutex_init(&m, 0);
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(r0 || r1);
}
