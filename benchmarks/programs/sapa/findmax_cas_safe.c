/* FindMax (CAS-based), safe: parallel reduction to the maximum. SAPA section 5.
 *
 * Threads: any number, each with one element.
 * Assertion: the maximum is at least the thread's element.
 *
 *     sapa check findmax_cas_safe.c
 */
#include <assert.h>
#include <pthread.h>

int max = 0;

int __VERIFIER_nondet_int(void);

void *find_max(void *arg)
{
    int e = __VERIFIER_nondet_int();
    int c;

    do {
        c = max;
        if (e <= c)
            break;
    } while (!__sync_bool_compare_and_swap(&max, c, e));
    assert(e <= max);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, find_max, 0);
}
