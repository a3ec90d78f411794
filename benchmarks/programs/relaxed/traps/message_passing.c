/* Message passing: what keeps two stores in order, and what does not.
 *
 * Assertion: who sees the flag sees the message. Where nothing keeps them in order, it fails under PSO.
 *
 *     sapa check message_passing.c -DSFENCE
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#if defined MEMBERS
struct mail {
    int message, flag;
} mail = {0, 0};
#define message mail.message
#define flag mail.flag
#elif defined VOLATILE
volatile int message = 0, flag = 0;
#else
int message = 0, flag = 0;
#endif

int other = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t semaphore;

void *sender(void *arg)
{
    message = 1;
#if defined SFENCE
    __asm__ volatile("sfence" ::: "memory");
#elif defined EMPTY_ASM
    __asm__ volatile("" ::: "memory");
#elif defined SIGNAL_FENCE
    atomic_signal_fence(memory_order_seq_cst);
#elif defined ACQUIRE_FENCE
    atomic_thread_fence(memory_order_acquire);
#elif defined RELEASE_FENCE
    atomic_thread_fence(memory_order_release);
#elif defined ACQ_REL_FENCE
    atomic_thread_fence(memory_order_acq_rel);
#elif defined RELEASE_OF_ANOTHER
    __atomic_store_n(&other, 1, __ATOMIC_RELEASE);
#elif defined STORE_OF_ANOTHER
    other = 1;
#elif defined RELAXED_ADDITION
    __atomic_fetch_add(&other, 1, __ATOMIC_RELAXED);
#elif defined LOAD_OF_THE_MESSAGE
    other = message;
#elif defined MUTEX
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#endif
#if defined RELEASE
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
#elif defined RELAXED
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
#elif defined SEMAPHORE
    sem_post(&semaphore);
#else
    flag = 1;
#endif
    return 0;
}

void *receiver(void *arg)
{
#if defined SEMAPHORE
    sem_wait(&semaphore);
    assert(message == 1);
#else
    if (flag)
        assert(message == 1);
#endif
    return 0;
}

int main(void)
{
    pthread_t t;

    sem_init(&semaphore, 0, 0);
    pthread_create(&t, 0, sender, 0);
    pthread_create(&t, 0, receiver, 0);
}
