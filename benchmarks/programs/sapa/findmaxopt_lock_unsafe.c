/* FindMaxOpt (lock-based), unsafe: parallel reduction to the maximum, each thread
 * reduces its elements before it touches what is shared. SAPA section 5.
 *
 * Threads: 2 suffice.
 * Assertion: the maximum is at least the thread's.
 * Bug: the maximum is compared before the lock is taken.
 *
 *     sapa check findmaxopt_lock_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int max = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int __VERIFIER_nondet_int(void);

void *find_max(void *arg)
{
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int partial = a;

    if (b > partial)
        partial = b;
    if (partial > max) {
        pthread_mutex_lock(&m);
        max = partial;
        pthread_mutex_unlock(&m);
    }
    assert(partial <= max);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, find_max, 0);
}
