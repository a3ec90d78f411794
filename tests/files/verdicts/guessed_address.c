// precise: SUCCESSFUL --threads 2
// A number that happens to be the address of a local is none of another thread's, so no thread
// meets its own address in shared memory.
#include <pthread.h>

void *shared;
long any(void);

void *guesses(void *argument) {
    int own = 1, *address = &own;
    long number = any();
    if ((void *)number == address)
        shared = (void *)number;
    __CPROVER_assert(*address == 1, "nobody else wrote it");
    return 0;
}

void *compares(void *argument) {
    int own = 1, *address = &own;
    __CPROVER_assert(shared != address, "it is another's");
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, guesses, 0);
    pthread_create(&two, 0, compares, 0);
}
