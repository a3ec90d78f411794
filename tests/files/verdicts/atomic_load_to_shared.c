// precise: FAILED --threads 1
// Only the atomic object is accessed in one step: others may act before the
// value is written where it goes.
#include <pthread.h>

int x, y;

void *other(void *argument) {
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    __atomic_load(&x, &y, 5);
    pthread_join(thread, 0);
    __CPROVER_assert(!(x == 1 && y == 0), "the old value is not written over the new one");
}
