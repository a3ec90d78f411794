// A stack of 32: how often something was put on it and taken off, and how deep it is.
//
// Safe: the depth is the difference of both, and at most 32. -DANY: any number of threads.
// Broken: a failed pop is counted.
#include <assert.h>
#include <pthread.h>

#define DEPTH 32

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned long pushes, pops;
unsigned depth;

void *push(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (depth < DEPTH) {
            depth++;
            pushes++;
        }
        assert(depth <= DEPTH);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *pop(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        pops++;
#endif
        if (depth > 0) {
            depth--;
#ifndef BROKEN
            pops++;
#endif
        }
        assert(pushes - pops <= DEPTH);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, push, 0);
        pthread_create(&thread, 0, pop, 0);
    }
#else
    pthread_create(&thread, 0, push, 0);
    pthread_create(&thread, 0, pop, 0);
#endif
    return 0;
}
