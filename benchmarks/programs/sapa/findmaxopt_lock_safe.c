/* FindMaxOpt (lock-based), safe: parallel reduction to the maximum, each thread
 * reduces its elements before it touches what is shared. SAPA section 5.
 *
 * Threads: any number, each with two elements.
 * Assertion: the maximum is at least the thread's.
 *
 *     sapa check findmaxopt_lock_safe.c
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
    pthread_mutex_lock(&m);
    if (partial > max)
        max = partial;
    pthread_mutex_unlock(&m);
    assert(partial <= max);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, find_max, 0);
}
