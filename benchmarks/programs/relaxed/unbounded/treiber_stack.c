/* A stack of one item with a tag beside its top. After Treiber: Systems programming: coping with parallelism (1986)
 *
 * Threads: any number push or pop once.
 * Assertion: what is popped was pushed.
 * -DEARLY: the item is pushed before it is complete.
 *
 *     sapa check treiber_stack.c
 */
#include <assert.h>
#include <pthread.h>

/* Low bit: whether there is an item; the rest is the tag. */
unsigned top = 0;
int item = 0;

int __VERIFIER_nondet_int(void);

static void push(void)
{
    unsigned seen = top;

    if ((seen & 1u) == 0) {
#ifdef EARLY
        __sync_bool_compare_and_swap(&top, seen, seen + 3);
        item = 7;
#else
        item = 7;
        __sync_bool_compare_and_swap(&top, seen, seen + 3);
#endif
    }
}

static void pop(void)
{
    unsigned seen = top;

    if (seen & 1u) {
        int popped = item;

        if (__sync_bool_compare_and_swap(&top, seen, seen + 1))
            assert(popped == 7);
    }
}

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int() % 2)
        push();
    else
        pop();
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
