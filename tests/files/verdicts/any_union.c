// precise: FAILED --threads 1
// A structure of unknown contents may hold a valid pointer, also in the padding of a larger member.
#include <pthread.h>

union any {
    struct { int tag; __int128 big; } large;
    struct { int tag; int *pointer; } small;
};

union any any(void);
int shared;

void *worker(void *argument) {
    shared = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    union any found = any();
    if (found.small.pointer != &shared)
        return 0;
    pthread_create(&thread, 0, worker, 0);
    __CPROVER_assert(*found.small.pointer == 0, "the worker may have been faster");
}
