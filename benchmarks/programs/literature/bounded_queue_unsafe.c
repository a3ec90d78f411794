/* Bounded queue, unsafe. After Brinch Hansen: Operating system principles (1973)
 *
 * Assertion: the queue is never over-full nor below empty.
 * Bug: the consumer looks before it takes the lock.
 *
 *     sapa check bounded_queue_unsafe.c --threads 3
 */
#include <assert.h>
#include <pthread.h>

#define SIZE 4
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count = 0;

int __VERIFIER_nondet_int(void);

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&m);
        if (count < SIZE)
            count++;
        pthread_mutex_unlock(&m);
    } else if (count > 0) {
        pthread_mutex_lock(&m);
        count--;
        assert(count >= 0);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
