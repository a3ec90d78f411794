// precise: FAILED --threads 1
// Only the atomic object is accessed in one step: others may act after the
// value is read that is stored.
#include <pthread.h>

int x, y;

void *other(void *argument) {
    y = 1;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    __atomic_store(&x, &y, 5);
    pthread_join(thread, 0);
    __CPROVER_assert(!(y == 1 && x == 0), "the value that is stored is the last one");
}
