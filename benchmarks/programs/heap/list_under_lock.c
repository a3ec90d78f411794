// A list under a lock, of values from 10 to 20.
// Values are cut off before nodes are linked; broken, 20 becomes 21.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct node { struct node *next; int value; };
struct node *list;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *inserter(void *u) {
    struct node *n = malloc(sizeof *n);
    int v = __VERIFIER_nondet_int();
    if (v < 10 || v > 20) v = 15;
    n->value = v;
#ifdef BROKEN
    if (v == 20) n->value = v + 1;
#endif
    pthread_mutex_lock(&lock);
    n->next = list;
    list = n;
    pthread_mutex_unlock(&lock);
    return u;
}
void *reader(void *u) {
    pthread_mutex_lock(&lock);
    for (struct node *n = list; n; n = n->next)
        assert(n->value >= 10 && n->value <= 20);
    pthread_mutex_unlock(&lock);
    return u;
}
int main(void) { pthread_t t; while (1) { pthread_create(&t, 0, inserter, 0); pthread_create(&t, 0, reader, 0); } }
