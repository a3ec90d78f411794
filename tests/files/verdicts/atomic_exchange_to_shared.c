// precise: FAILED --threads 1
// Only the atomic object is accessed in one step: the old value is written later.
#include <pthread.h>

int x = 1, before;

void *other(void *argument) {
    int new = 7;
    __atomic_exchange(&x, &new, &before, 5);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    if (x == 7)
        __CPROVER_assert(before == 1, "both are seen at once");
    pthread_join(thread, 0);
}
