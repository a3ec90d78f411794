/* Stack (lock-based), safe: a bounded stack in an array. SAPA section 5, after Goetz et al., "Java Concurrency in Practice".
 *
 * Threads: any number push or pop one item.
 * Assertion: the array is accessed within its bounds.
 *
 *     sapa check stack_lock_safe.c
 */
#include <assert.h>
#include <pthread.h>

#define SIZE 3

int items[SIZE];
int top = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int __VERIFIER_nondet_int(void);

void push(int item)
{
    pthread_mutex_lock(&m);
    if (top < SIZE) {
        assert(top >= 0 && top < SIZE);
        items[top] = item;
        top = top + 1;
    }
    pthread_mutex_unlock(&m);
}

int pop(void)
{
    int item = 0;

    pthread_mutex_lock(&m);
    if (top > 0) {
        top = top - 1;
        assert(top >= 0 && top < SIZE);
        item = items[top];
    }
    pthread_mutex_unlock(&m);
    return item;
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
