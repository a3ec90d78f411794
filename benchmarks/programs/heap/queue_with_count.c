// A queue of at most 100 nodes under a lock.
// Nodes are of kinds 3 and 4; broken, the reader believes that all are of kind 3.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct node { struct node *next; int kind; };
struct node *first, *last; int count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *producer(void *u) {
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->next = 0;
        n->kind = __VERIFIER_nondet_int() ? 3 : 4;
        pthread_mutex_lock(&lock);
        if (count < 100) {
            if (last) last->next = n; else first = n;
            last = n;
            count++;
        }
        pthread_mutex_unlock(&lock);
    }
    return u;
}
void *consumer(void *u) {
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&lock);
        struct node *n = first;
        if (n) {
            first = n->next;
            if (!first) last = 0;
            count--;
#ifdef BROKEN
            assert(n->kind == 3);
#else
            assert(n->kind == 3 || n->kind == 4);
#endif
            free(n);
        }
        pthread_mutex_unlock(&lock);
    }
    return u;
}
int main(void) { pthread_t t; while (1) { pthread_create(&t, 0, producer, 0); pthread_create(&t, 0, consumer, 0); } }
