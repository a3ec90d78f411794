/* Top of a stack with a tag, safe. After Treiber: Systems programming: coping with parallelism (1986)
 *
 * Assertion: the top that a pop replaces is the one that it read.
 *
 *     sapa check treiber_tag_safe.c
 */
#include <assert.h>
#include <pthread.h>

/* Low bit: whether there is an item; the rest is the tag. */
unsigned top = 0;

int __VERIFIER_nondet_int(void);

void *worker(void *arg)
{
    unsigned seen = top;

    if (__VERIFIER_nondet_int()) {
        if ((seen & 1u) == 0)
            __sync_bool_compare_and_swap(&top, seen, seen + 3);
    } else if (seen & 1u) {
        if (__sync_bool_compare_and_swap(&top, seen, seen + 1))
            assert((seen & 1u) == 1);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
