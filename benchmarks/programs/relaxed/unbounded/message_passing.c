/* Message passing with a store of release and a load of acquire. After Boehm and Adve: Foundations of the C++
 * concurrency memory model (2008)
 *
 * Threads: any number send or receive.
 * Assertion: who sees the flag sees the message.
 * -DEARLY: the flag is set before the message.
 * -DPLAIN: the flag is set by a plain store, which under PSO can come before the message.
 *
 *     sapa check message_passing.c
 */
#include <assert.h>
#include <pthread.h>

int message = 0, flag = 0;

int __VERIFIER_nondet_int(void);

static void set_flag(void)
{
#ifdef PLAIN
    flag = 1;
#else
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
#endif
}

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int() % 2) {
#ifdef EARLY
        set_flag();
        message = 7;
#else
        message = 7;
        set_flag();
#endif
    } else if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
        assert(message == 7);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
