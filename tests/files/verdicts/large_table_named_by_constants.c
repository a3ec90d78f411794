// precise: SUCCESSFUL --engine auto
// Two elements are named by constants, and a thread is told which of the others it writes.
#include <assert.h>
#include <pthread.h>

int table[100000];

unsigned __VERIFIER_nondet_uint(void);

void *writer(void *unused) {
    unsigned at = __VERIFIER_nondet_uint();
    if (at > 7 && at < 100000)
        table[at] = 1;
    return unused;
}

int main(void) {
    pthread_t handle;
    table[7] = 3;
    while (__VERIFIER_nondet_uint()) {
        pthread_create(&handle, 0, writer, 0);
        assert(table[7] == 3);
    }
}
