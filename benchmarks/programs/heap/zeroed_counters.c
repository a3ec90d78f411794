// Counters from calloc are incremented without a lock.
// Who increments has read at most 500; broken, at most 1000.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct counter { int hits; };
struct counter *current;
void *worker(void *u) {
    struct counter *c = current;
    if (!c) return u;
    int h = c->hits;
#ifdef BROKEN
    if (h <= 1000) c->hits = h + 500;
#else
    if (h <= 500) c->hits = h + 500;
#endif
    assert(c->hits <= 1000);
    return u;
}
int main(void) {
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int()) current = calloc(1, sizeof *current);
        pthread_create(&t, 0, worker, 0);
    }
}
