// precise: FAILED --engine auto
// As section_of_a_stack.c, but who pops looks at the element when the lock is given back.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stack[4], top;

void *push(void *arg)
{
    int value = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    if (top < 4) {
        stack[top] = value;
        top++;
        assert(stack[top - 1] == value);
    }
    pthread_mutex_unlock(&m);
    return 0;
}

void *pop(void *arg)
{
    pthread_mutex_lock(&m);
    int found = top > 0 ? --top : -1;
    int value = found < 0 ? 0 : stack[found];
    pthread_mutex_unlock(&m);
    if (found >= 0)
        assert(stack[found] == value);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&t, 0, push, 0);
        pthread_create(&t, 0, pop, 0);
    }
}
