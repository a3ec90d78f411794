// Each thread gets a context of its own from the heap.
// The number in it is set before the thread starts and never below 0; broken, the first one is -1.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct context { int id; int result; };
void *worker(void *p) {
    struct context *c = p;
    assert(c->id >= 0);
    c->result = c->id;
    return 0;
}
int main(void) {
    pthread_t t;
    int i = 0;
    while (__VERIFIER_nondet_int()) {
        struct context *c = malloc(sizeof *c);
#ifdef BROKEN
        c->id = i - 1;
#else
        c->id = i;
#endif
        c->result = 0;
        if (i < 1000) i++;
        pthread_create(&t, 0, worker, c);
    }
}
