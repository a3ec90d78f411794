// precise: FAILED --threads 1
// What is assigned to an atomic structure is read in steps of its own.
#include <pthread.h>
struct pair {
    int a, b;
};
_Atomic struct pair object;
struct pair source;

void *writer(void *unused) {
    source.a = 1;
    source.b = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    object = source;
    struct pair now = object;
    __CPROVER_assert(now.a == now.b, "half of it may be written");
}
