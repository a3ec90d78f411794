// Messages from the heap go through one pointer.
// They are filled before the pointer is set; broken, after it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct message { int kind; int size; };
struct message *slot;
void *sender(void *u) {
    while (__VERIFIER_nondet_int()) {
        struct message *m = malloc(sizeof *m);
        m->kind = __VERIFIER_nondet_int() ? 1 : 2;
#ifndef BROKEN
        m->size = 16;
        slot = m;
#else
        slot = m;
        m->size = 16;
#endif
    }
    return u;
}
void *receiver(void *u) {
    while (__VERIFIER_nondet_int()) {
        struct message *m = slot;
        if (m) { assert(m->size == 16); assert(m->kind >= 1 && m->kind <= 2); }
    }
    return u;
}
int main(void) { pthread_t t; while (1) { pthread_create(&t, 0, sender, 0); pthread_create(&t, 0, receiver, 0); } }
