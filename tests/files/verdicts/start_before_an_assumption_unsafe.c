// precise: FAILED --threads 1
// A thread that was started runs even if the one that started it is cut off.
#include <assert.h>
#include <pthread.h>

void __CPROVER_assume(int);

void *worker(void *unused) {
    assert(0);
    return 0;
}

int main(void) {
    pthread_t thread;
    int l = 0;
    pthread_create(&thread, 0, worker, 0);
    __CPROVER_assume(l != l);
}
