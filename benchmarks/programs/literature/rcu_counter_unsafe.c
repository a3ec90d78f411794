/* Reference count before release, unsafe. After McKenney and Slingwine: Read-copy update (1998)
 *
 * Assertion: nobody reads what was released.
 * Bug: the reader counts itself after it has looked.
 *
 *     sapa check rcu_counter_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int readers = 0;
int released = 0;

int __VERIFIER_nondet_int(void);

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int()) {
        if (!released) {
            __sync_fetch_and_add(&readers, 1);
            assert(!released);
            __sync_fetch_and_sub(&readers, 1);
        }
    } else if (readers == 0) {
        released = 1;
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
