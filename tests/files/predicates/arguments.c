// What predicates say of a thread's parameters is known where it starts, unless threads of this function start themselves.
// RUN: sapa-cc %s | sapa-opt -p default | sapa-abstract --predicates %d/arguments.predicates | sapa-mc
// RUN: sapa-cc %s -DITSELF | sapa-opt -p default | sapa-abstract --predicates %d/arguments.predicates | sapa-mc | tail -1
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *worker(void *argument) {
    long number = (long)argument;
#ifdef ITSELF
    pthread_t thread;
    if (number == 0)
        pthread_create(&thread, 0, worker, (void *)(number + 1));
    assert(number != 0);
#else
    assert(number != 0);
#endif
    return 0;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        int number = __VERIFIER_nondet_int();
#ifndef ITSELF
        if (number != 0)
#endif
            pthread_create(&thread, 0, worker, (void *)(long)number);
    }
}
