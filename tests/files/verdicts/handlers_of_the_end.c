// precise: SUCCESSFUL --threads 1
// precise: FAILED --threads 1 -DRETURNS
// precise: SUCCESSFUL --threads 1 -DABRUPT
// NOTE assuming that a run registers at most 32 functions by `atexit`
// What is registered for the end runs there, the last one first: at a call of exit by any thread and
// at the return of main, not at _exit.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int state;

void last(void) {
    assert(state == 2);
#ifdef ABRUPT
    assert(0);
#endif
}

void first(void) {
    assert(state == 1 && "main has not returned");
    state = 2;
}

void *worker(void *unused) {
    state = 1;
#ifdef ABRUPT
    _exit(1);
#endif
    exit(0);
}

int main(void) {
    pthread_t thread;
    atexit(last);
    atexit(first);
    pthread_create(&thread, 0, worker, 0);
#ifndef RETURNS
    pthread_join(thread, 0);
#endif
    return 0;
}
