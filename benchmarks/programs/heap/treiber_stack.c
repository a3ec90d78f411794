// A stack without locks (Treiber, 1986), of positive values.
// Values are made positive before nodes are pushed; broken, 0 stays.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct node { struct node *next; int value; };
struct node *head;
void *pusher(void *u) {
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        int v = __VERIFIER_nondet_int();
#ifdef BROKEN
        if (v < 0) v = 0;
#else
        if (v <= 0) v = 1;
#endif
        n->value = v;
        struct node *old;
        do { old = head; n->next = old; } while (!__sync_bool_compare_and_swap(&head, old, n));
    }
    return u;
}
void *popper(void *u) {
    while (__VERIFIER_nondet_int()) {
        struct node *old = head;
        if (!old) continue;
        if (__sync_bool_compare_and_swap(&head, old, old->next))
            assert(old->value > 0);
    }
    return u;
}
int main(void) { pthread_t t; while (1) { pthread_create(&t, 0, pusher, 0); pthread_create(&t, 0, popper, 0); } }
