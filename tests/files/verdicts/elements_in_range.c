// precise: SUCCESSFUL --engine auto
// Whatever element is read: all that is stored is below 100, and they start with 0.
#include <assert.h>
#include <pthread.h>

int table[10000];

unsigned __VERIFIER_nondet_uint(void);

void *worker(void *unused) {
    unsigned at = __VERIFIER_nondet_uint(), value = __VERIFIER_nondet_uint();
    if (at < 10000 && value < 100)
        table[at] = value;
    if (at < 10000)
        assert(table[at] < 100);
    return unused;
}

int main(void) {
    pthread_t handle;
    while (1)
        pthread_create(&handle, 0, worker, 0);
}
