/* Top of a stack with a tag, unsafe. After Treiber: Systems programming: coping with parallelism (1986)
 *
 * Assertion: the top that a pop replaces is the one that it read.
 * Bug: the pop stores without compare-and-swap.
 *
 *     sapa check treiber_tag_unsafe.c --threads 2
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
            __sync_bool_compare_and_swap(&top, seen, seen + 1);
    } else if (seen & 1u) {
        top = seen - 1;
        assert(top == seen - 1);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
