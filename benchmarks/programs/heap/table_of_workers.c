// Threads write and read elements of a table of 10,000 numbers.
// All that is written is below 100; broken, 100 is, too.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int table[10000];
void *worker(void *u) {
    while (__VERIFIER_nondet_int()) {
        unsigned at = __VERIFIER_nondet_int();
        int v = __VERIFIER_nondet_int();
#ifdef BROKEN
        if (at >= 10000 || v < 0 || v > 100) continue;
#else
        if (at >= 10000 || v < 0 || v >= 100) continue;
#endif
        table[at] = v;
    }
    return u;
}
void *checker(void *u) {
    unsigned at = __VERIFIER_nondet_int();
    if (at < 10000) assert(table[at] < 100);
    return u;
}
int main(void) { pthread_t t; while (1) { pthread_create(&t, 0, worker, 0); pthread_create(&t, 0, checker, 0); } }
