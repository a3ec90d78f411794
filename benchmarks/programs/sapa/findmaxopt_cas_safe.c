/* FindMaxOpt (CAS-based), safe: parallel reduction to the maximum, each thread
 * reduces its elements before it touches what is shared. SAPA section 5.
 *
 * Threads: any number, each with two elements.
 * Assertion: the maximum is at least the thread's.
 *
 *     sapa check findmaxopt_cas_safe.c
 */
#include <assert.h>
#include <pthread.h>

int max = 0;

int __VERIFIER_nondet_int(void);

void *find_max(void *arg)
{
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int partial = a;
    int c;

    if (b > partial)
        partial = b;
    do {
        c = max;
        if (partial <= c)
            break;
    } while (!__sync_bool_compare_and_swap(&max, c, partial));
    assert(partial <= max);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, find_max, 0);
}
