// precise: SUCCESSFUL --engine auto
// Objects start with zeros, and what is stored is at most 1000.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct counter {
    int hits;
} *current;

int __VERIFIER_nondet_int(void);

void *worker(void *unused) {
    struct counter *counter = current;
    if (!counter)
        return unused;
    int hits = counter->hits;
    if (hits <= 500)
        counter->hits = hits + 500;
    assert(counter->hits <= 1000);
    return unused;
}

int main(void) {
    pthread_t handle;
    while (1) {
        if (__VERIFIER_nondet_int())
            current = calloc(1, sizeof *current);
        pthread_create(&handle, 0, worker, 0);
    }
}
