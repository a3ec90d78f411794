/* A stack of one item with a tag beside its top, where one thread pushes. After Treiber: Systems programming: coping
 * with parallelism (1986)
 *
 * While the stack is empty nobody but the pushing thread changes the top, so that a store does for it.
 * Threads: one pushes for ever, any number pop once.
 * Assertion: what is popped was pushed.
 * -DEARLY: the item is pushed before it is complete.
 * -DPLAIN: the item is pushed by a plain store, which under PSO can come before the item.
 *
 *     sapa check treiber_stack_one_pusher.c
 */
#include <assert.h>
#include <pthread.h>

/* Low bit: whether there is an item; the rest is the tag. */
unsigned top = 0;
int item = 0;

static void set_top(unsigned value)
{
#ifdef PLAIN
    top = value;
#else
    __atomic_store_n(&top, value, __ATOMIC_RELEASE);
#endif
}

void *pusher(void *arg)
{
    while (1) {
        unsigned seen = top;

        if ((seen & 1u) == 0) {
#ifdef EARLY
            set_top(seen + 3);
            item = 7;
#else
            item = 7;
            set_top(seen + 3);
#endif
        }
    }
}

void *popper(void *arg)
{
    unsigned seen = __atomic_load_n(&top, __ATOMIC_ACQUIRE);

    if (seen & 1u) {
        int popped = item;

        if (__sync_bool_compare_and_swap(&top, seen, seen + 1))
            assert(popped == 7);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, pusher, 0);
    while (1)
        pthread_create(&t, 0, popper, 0);
}
