/* Start, join and locks: who comes behind them sees all stores before them.
 *
 *     sapa check sees_all.c -DJOIN
 */
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0, z = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
pthread_barrier_t barrier;

static void store(void)
{
    x = 1;
    y = 1;
    x = 2;
}

#if defined JOIN
void *thread(void *arg)
{
    store();
    return 0;
}
#elif defined JOIN_BEHIND_EXIT
void *thread(void *arg)
{
    store();
    pthread_exit(0);
}
#elif defined JOIN_OF_A_JOINER
void *inner(void *arg)
{
    store();
    return 0;
}

void *thread(void *arg)
{
    pthread_t t;

    pthread_create(&t, 0, inner, 0);
    pthread_join(t, 0);
    return 0;
}
#elif defined START
void *thread(void *arg)
{
    assert(x == 2 && y == 1);
    return 0;
}
#elif defined BARRIER
void *thread(void *arg)
{
    store();
    pthread_barrier_wait(&barrier);
    return 0;
}
#else
#if defined MUTEX
#define LOCK pthread_mutex_lock(&mutex)
#define UNLOCK pthread_mutex_unlock(&mutex)
#elif defined SPIN_LOCK
#define LOCK pthread_spin_lock(&spin)
#define UNLOCK pthread_spin_unlock(&spin)
#elif defined READ_WRITE_LOCK
#define LOCK pthread_rwlock_wrlock(&rwlock)
#define UNLOCK pthread_rwlock_unlock(&rwlock)
#endif
void *thread(void *arg)
{
    LOCK;
    store();
    z = 1;
    UNLOCK;
    return 0;
}
#endif

int main(void)
{
    pthread_t t;

    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, 0, 2);
#if defined START
    store();
#endif
    pthread_create(&t, 0, thread, 0);
#if defined LOCK
    LOCK;
    assert(z == 0 || (x == 2 && y == 1));
    UNLOCK;
#elif defined BARRIER
    pthread_barrier_wait(&barrier);
    assert(x == 2 && y == 1);
#elif !defined START
    pthread_join(t, 0);
    assert(x == 2 && y == 1);
#endif
}
