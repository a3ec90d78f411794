// The bound comes from starts outside loops and in loops with a known number of rounds.
// RUN: sapa-cc %s | sapa-opt -p 'inline,mem2reg,print-threads' --no-output - 2>&1
// RUN: sapa-cc -DMANY %s | sapa-opt -p 'inline,mem2reg,print-threads' --no-output - 2>&1
#include <pthread.h>

void *first(void *unused) { return 0; }

void *last(void *unused) { return 0; }

void *often(void *unused) {
    pthread_t thread;
    pthread_create(&thread, 0, last, 0);
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, first, 0);
#ifdef MANY
    while (__VERIFIER_nondet_int())
#else
    for (int i = 0; i < 3; i++)
#endif
        pthread_create(&thread, 0, often, 0);
}
