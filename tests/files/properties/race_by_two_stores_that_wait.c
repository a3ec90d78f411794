// precise: SUCCESSFUL/FAILED/FAILED --property races
// Each thread says that it comes, and looks whether the other one does: where stores wait, both go on.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int data;

void *one(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&y, memory_order_relaxed))
        data = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, one, 0);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&x, memory_order_relaxed))
        data = 2;
    return 0;
}
