/* Inc./Dec. (CAS-based), safe: a counter. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number increment or decrement the counter; it stays between 0 and FULL.
 * Assertion: a step replaces the counter by one in its direction.
 *
 *     sapa check incdec_cas_safe.c
 */
#include <assert.h>
#include <pthread.h>

#define FULL 4294967295u

unsigned value = 0;

int __VERIFIER_nondet_int(void);

void increment(void)
{
    unsigned v, vn;

    do {
        v = value;
        if (v == FULL)
            return;
        vn = v + 1;
    } while (!__sync_bool_compare_and_swap(&value, v, vn));
    assert(vn > v);
}

void decrement(void)
{
    unsigned v, vn;

    do {
        v = value;
        if (v == 0)
            return;
        vn = v - 1;
    } while (!__sync_bool_compare_and_swap(&value, v, vn));
    assert(vn < v);
}

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int())
        increment();
    else
        decrement();
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
