// precise: FAILED
// One element, which a constant names, is out of the range of the others.
#include <assert.h>
#include <pthread.h>

int table[40];

unsigned __VERIFIER_nondet_uint(void);

void *worker(void *unused) {
    unsigned at = __VERIFIER_nondet_uint();
    if (at < 40)
        assert(table[at] < 100);
    return unused;
}

int main(void) {
    pthread_t handle;
    pthread_create(&handle, 0, worker, 0);
    table[3] = 100;
}
