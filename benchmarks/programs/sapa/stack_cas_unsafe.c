/* Stack (CAS-based), unsafe: a bounded stack in an array. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: 2 suffice.
 * Assertion: the array is accessed within its bounds.
 * Bug: pop looks only once whether there is an item, and may find it gone.
 *
 *     sapa check stack_cas_unsafe.c --threads 2
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

    if (top == 0)
        return 0;
    do {
        t = top;
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
