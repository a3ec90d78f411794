/* Bounded queue, safe. After Brinch Hansen: Operating system principles (1973)
 *
 * Assertion: the queue is never over-full nor below empty.
 *
 *     sapa check bounded_queue_safe.c
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
        if (count < SIZE) {
            count++;
            assert(count <= SIZE);
        }
        pthread_mutex_unlock(&m);
    } else {
        pthread_mutex_lock(&m);
        if (count > 0) {
            count--;
            assert(count >= 0);
        }
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
