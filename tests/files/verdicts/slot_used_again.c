// precise: FAILED --threads 1 --mode symmetry-oblivious
// The second thread takes the first one's place, but not its thread-local global.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
_Thread_local int own;
int g;

void *first(void *unused) {
    int chosen = __VERIFIER_nondet_int();
    __VERIFIER_assume(chosen > 2);
    own = chosen;
    g = 1;
    __CPROVER_assert(own == chosen && chosen > 2, "its own");
    return 0;
}

void *second(void *unused) {
    g = 2;
    __CPROVER_assert(own > 2, "it is 0");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, first, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, second, 0);
}
