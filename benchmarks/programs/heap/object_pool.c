// Objects are taken from a pool, or allocated, and given back or freed.
// Who gives one back resets its state; broken, to what nobody may leave.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct object { struct object *next; int state; };
struct object *pool;
int used;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *u) {
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&lock);
        struct object *o = pool;
        if (o) pool = o->next;
        pthread_mutex_unlock(&lock);
        if (!o) { o = malloc(sizeof *o); }
        o->state = 1;
        if (__VERIFIER_nondet_int()) { free(o); continue; }
#ifdef BROKEN
        o->state = 7;
#else
        o->state = 0;
#endif
        pthread_mutex_lock(&lock);
        if (pool) assert(pool->state <= 1);
        o->next = pool;
        pool = o;
        pthread_mutex_unlock(&lock);
    }
    return u;
}
int main(void) { pthread_t t; while (1) pthread_create(&t, 0, worker, 0); }
