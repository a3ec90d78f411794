/* Store buffering: what waits for the store before it, and what does not.
 *
 * Assertion: one of the loads comes after both stores. Where nothing waits, it fails under TSO and PSO.
 *
 *     sapa check store_buffering.c -DLOCKED_SECTION
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

/* What x and y are. */
#if defined VOLATILE
volatile int x = 0, y = 0;
#elif defined ATOMIC_ASSIGNMENT || defined RELAXED_STORE || defined RELEASE_STORE || defined SEQ_CST_STORE
atomic_int x = 0, y = 0;
#elif defined UNBUFFERED
int __unbuffered_x = 0, __unbuffered_y = 0;
#define x __unbuffered_x
#define y __unbuffered_y
#elif defined ELEMENTS
int cells[2] = {0, 0};
#define x cells[0]
#define y cells[1]
#elif defined MEMBERS
struct pair {
    int a, b;
} pair = {0, 0};
#define x pair.a
#define y pair.b
#else
int x = 0, y = 0;
#endif

int __unbuffered_r0, __unbuffered_r1;

/* What else there is. */
pthread_mutex_t mutex0 = PTHREAD_MUTEX_INITIALIZER, mutex1 = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t spin0, spin1;
sem_t semaphore0, semaphore1;
int other0 = 0, other1 = 0;
atomic_flag test0 = ATOMIC_FLAG_INIT, test1 = ATOMIC_FLAG_INIT;
pthread_cond_t condition0 = PTHREAD_COND_INITIALIZER, condition1 = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t taken = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t done = PTHREAD_ONCE_INIT;

void nothing(void)
{
}

/* How thread n stores 1. */
#if defined RELAXED_STORE
#define STORE(n, object) atomic_store_explicit(&object, 1, memory_order_relaxed)
#elif defined RELEASE_STORE
#define STORE(n, object) atomic_store_explicit(&object, 1, memory_order_release)
#elif defined SEQ_CST_STORE
#define STORE(n, object) atomic_store(&object, 1)
#elif defined LOCKED_SECTION
#define STORE(n, object) (__VERIFIER_atomic_begin(), object = 1, __VERIFIER_atomic_end())
#elif defined SPIN_LOCKED
#define STORE(n, object) (pthread_spin_lock(&spin##n), object = 1, pthread_spin_unlock(&spin##n))
#elif defined MUTEX_LOCKED
#define STORE(n, object) (pthread_mutex_lock(&mutex##n), object = 1, pthread_mutex_unlock(&mutex##n))
#elif defined THROUGH_POINTER
#define STORE(n, object) (pointer = &object, *pointer = 1)
#elif defined COPIED
#define STORE(n, object) memcpy(&object, &one, sizeof one)
#else
#define STORE(n, object) object = 1
#endif

/* What stands between the store and the load of thread n. */
#if defined FULL_FENCE
#define BETWEEN(n) __sync_synchronize()
#elif defined SEQ_CST_FENCE
#define BETWEEN(n) atomic_thread_fence(memory_order_seq_cst)
#elif defined ACQ_REL_FENCE
#define BETWEEN(n) atomic_thread_fence(memory_order_acq_rel)
#elif defined SIGNAL_FENCE
#define BETWEEN(n) atomic_signal_fence(memory_order_seq_cst)
#elif defined MFENCE
#define BETWEEN(n) __asm__ volatile("mfence" ::: "memory")
#elif defined SFENCE
#define BETWEEN(n) __asm__ volatile("sfence" ::: "memory")
#elif defined EMPTY_ASM
#define BETWEEN(n) __asm__ volatile("" ::: "memory")
#elif defined EXCHANGE_THAT_FAILS
#define BETWEEN(n) __sync_bool_compare_and_swap(&other##n, 1, 2)
#elif defined RELAXED_ADDITION
#define BETWEEN(n) __atomic_fetch_add(&other##n, 1, __ATOMIC_RELAXED)
#elif defined FLAG
#define BETWEEN(n) atomic_flag_test_and_set(&test##n)
#elif defined SEMAPHORE
#define BETWEEN(n) sem_post(&semaphore##n)
#elif defined EMPTY_SEMAPHORE
#define BETWEEN(n) sem_trywait(&semaphore##n)
#elif defined TAKEN_LOCK
#define BETWEEN(n) pthread_rwlock_tryrdlock(&taken)
#elif defined TAKEN_LOCK_TO_WRITE
#define BETWEEN(n) pthread_rwlock_trywrlock(&taken)
#elif defined DONE
#define BETWEEN(n) pthread_once(&done, nothing)
#elif defined CONDITION
#define BETWEEN(n) pthread_cond_signal(&condition##n)
#elif defined MUTEX
#define BETWEEN(n) (pthread_mutex_lock(&mutex##n), pthread_mutex_unlock(&mutex##n))
#elif defined OTHER_STORE
#define BETWEEN(n) other##n = 1
#else
#define BETWEEN(n) (void)0
#endif

/* How thread n loads. */
#if defined LOCKED_LOAD
#define LOAD(result, object) (__VERIFIER_atomic_begin(), result = object, __VERIFIER_atomic_end())
#else
#define LOAD(result, object) result = object
#endif

void *first(void *arg)
{
    int *pointer, one = 1;

#if defined ONE_STATEMENT
    __unbuffered_r0 = (x = 1, y);
#else
    STORE(0, x);
    BETWEEN(0);
    LOAD(__unbuffered_r0, y);
#endif
    return 0;
}

void *second(void *arg)
{
    int *pointer, one = 1;

#if defined ONE_STATEMENT
    __unbuffered_r1 = (y = 1, x);
#else
    STORE(1, y);
    BETWEEN(1);
    LOAD(__unbuffered_r1, x);
#endif
    return 0;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_spin_init(&spin0, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&spin1, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore0, 0, 0);
    sem_init(&semaphore1, 0, 0);
#if defined TAKEN_LOCK || defined TAKEN_LOCK_TO_WRITE
    pthread_rwlock_wrlock(&taken);
#elif defined DONE
    pthread_once(&done, nothing);
#endif
    pthread_create(&t0, 0, first, 0);
#if defined IN_MAIN
    second(0);
#else
    pthread_create(&t1, 0, second, 0);
    pthread_join(t1, 0);
#endif
    pthread_join(t0, 0);
    assert(__unbuffered_r0 == 1 || __unbuffered_r1 == 1);
}
