// precise: FAILED --threads 4
// Ends are counted only if nothing else starts the function: three of four threads are joined here.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

void *worker(void *unused) {
    return 0;
}

int main(void) {
    pthread_t threads[3], other;
    int more = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, 0);
    while (__VERIFIER_nondet_int()) {
        more = 1;
        pthread_create(&other, 0, worker, 0);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    __CPROVER_assert(more, "there may be no more");
}
