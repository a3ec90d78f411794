// precise: FAILED --threads 2 -DASSUMPTION
// precise: FAILED --threads 2 -DABORT
// precise: FAILED --threads 2 -DUNREACHABLE
// precise: FAILED --threads 2 -DINDEX
// A store is seen by others even if its thread is cut off before its next visible step.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void __CPROVER_assume(int);
int x;

void *reader(void *unused) {
    assert(x == 0);
    return 0;
}

void *writer(void *unused) {
    int seen = 0, array[2];
    x = 1;
#if defined ASSUMPTION
    __CPROVER_assume(seen != seen);
#elif defined ABORT
    abort();
#elif defined UNREACHABLE
    __builtin_unreachable();
#elif defined INDEX
    array[seen + 7] = 1;
#else
#error "an ending is to be chosen"
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    pthread_create(&thread, 0, writer, 0);
}
