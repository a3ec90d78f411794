/* Stack (CAS-based), safe: a bounded stack in an array. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number push or pop one item.
 * Assertion: the array is accessed within its bounds.
 *
 *     sapa check stack_cas_safe.c
 */
#include <assert.h>
#include <pthread.h>

#define SIZE 2

/* Which item each place holds; top counts the places that are taken. */
int items[SIZE] = {1};
int top = 1;

int __VERIFIER_nondet_int(void);

void push(int item)
{
    int t;

    do {
        t = top;
        if (t == SIZE)
            return;
    } while (!__sync_bool_compare_and_swap(&top, t, t + 1));
    assert(t >= 0 && t < SIZE);
    items[t] = item;
}

int pop(void)
{
    int t;

    do {
        t = top;
        if (t == 0)
            return 0;
    } while (!__sync_bool_compare_and_swap(&top, t, t - 1));
    assert(t > 0 && t <= SIZE);
    return items[t - 1];
}

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int())
        push(1);
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
