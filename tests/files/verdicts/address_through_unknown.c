// precise: FAILED --threads 2
// What an unknown function makes of a number may be an address that the number was.
#include <pthread.h>

int *lookup(long);
int *shared;

void *worker(void *argument) {
    int own = 0;
    shared = lookup((long)&own);
    own = 1;
    __CPROVER_assert(*shared == 1, "another's may still be 0");
    return 0;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, 0, worker, 0);
}
