/* FindMaxOpt (CAS-based), unsafe: parallel reduction to the maximum, each thread
 * reduces its elements before it touches what is shared. SAPA section 5.
 *
 * Threads: 1 suffices.
 * Assertion: the maximum is at least each of the thread's elements.
 * Bug: the wrong element is taken for the thread's maximum.
 *
 *     sapa check findmaxopt_cas_unsafe.c --threads 1
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
        partial = a;
    do {
        c = max;
        if (partial <= c)
            break;
    } while (!__sync_bool_compare_and_swap(&max, c, partial));
    assert(b <= max);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, find_max, 0);
}
