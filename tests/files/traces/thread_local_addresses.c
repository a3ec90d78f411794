// What is local to another thread is named after that thread.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Thread_local int x;
int *_Atomic shared;
atomic_int ready;
void *first(void *unused) {
    x = 1;
    shared = &x;
    while (!ready)
        ;
    assert(x == 1);
    return 0;
}
void *second(void *unused) {
    int *p = shared;
    x = 3;
    if (p)
        *p = 2;
    ready = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
