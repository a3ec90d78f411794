/* FindMax (lock-based), unsafe: parallel reduction to the maximum. SAPA section 5.
 *
 * Threads: any number, each with one element.
 * Assertion: the maximum is at least the thread's element.
 * Bug: the comparison is outside the lock, so that a smaller element may overwrite a larger one.
 *
 *     sapa check findmax_lock_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int max = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int __VERIFIER_nondet_int(void);

void *find_max(void *arg)
{
    int e = __VERIFIER_nondet_int();

    if (e > max) {
        pthread_mutex_lock(&m);
        max = e;
        pthread_mutex_unlock(&m);
    }
    assert(e <= max);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, find_max, 0);
}
