// precise: FAILED --threads 2
// Each thread has a local of its own: its address in shared memory says nothing of others'.
#include <pthread.h>

int *shared;

void *worker(void *argument) {
    int own = 0;
    shared = &own;
    own = 1;
    __CPROVER_assert(*shared == 1, "another's may still be 0");
    return 0;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, 0, worker, 0);
}
