// precise: SUCCESSFUL --engine auto
// A critical section is one step: what it stores at an index is what it finds there, and no value of the index is tried.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stack[4], top;

void *push(void *arg)
{
    pthread_mutex_lock(&m);
    if (top < 4) {
        stack[top] = 7;
        top++;
    }
    pthread_mutex_unlock(&m);
    return 0;
}

void *pop(void *arg)
{
    pthread_mutex_lock(&m);
    if (top > 0) {
        top--;
        assert(stack[top] == 7);
    }
    pthread_mutex_unlock(&m);
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
