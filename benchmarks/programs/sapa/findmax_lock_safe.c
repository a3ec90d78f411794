/* FindMax (lock-based), safe: parallel reduction to the maximum. SAPA section 5.
 *
 * Threads: any number, each with one element.
 * Assertion: the maximum is at least the thread's element.
 *
 *     sapa check findmax_lock_safe.c
 */
#include <assert.h>
#include <pthread.h>

int max = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int __VERIFIER_nondet_int(void);

void *find_max(void *arg)
{
    int e = __VERIFIER_nondet_int();

    pthread_mutex_lock(&m);
    if (e > max)
        max = e;
    pthread_mutex_unlock(&m);
    assert(e <= max);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, find_max, 0);
}
