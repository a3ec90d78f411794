// precise: SUCCESSFUL --threads 1
// Reading an atomic structure never sees half of a write.
#include <pthread.h>
struct pair {
    int a, b;
};
_Atomic struct pair object;

void *writer(void *unused) {
    struct pair both = {1, 1};
    __atomic_store(&object, &both, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    struct pair first, second = object;
    __atomic_load(&object, &first, __ATOMIC_SEQ_CST);
    __CPROVER_assert(first.a == first.b && second.a == second.b, "whole");
}
