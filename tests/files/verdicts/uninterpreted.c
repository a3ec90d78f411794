// SUCCESSFUL threads=1
// What is not interpreted is a function all the same: equal arguments, equal results, in all threads.
#include <pthread.h>

int __CPROVER_uninterpreted_f(int);
int __CPROVER_uninterpreted_sum(int, unsigned char);
long __CPROVER_uninterpreted_constant(void);

int from_thread;

void *ask(void *unused) {
    from_thread = __CPROVER_uninterpreted_f(7);
    return 0;
}

int main(void) {
    int k = __VERIFIER_nondet_int(), other = __VERIFIER_nondet_int();
    __CPROVER_assert(__CPROVER_uninterpreted_f(k) == __CPROVER_uninterpreted_f(k), "itself");
    __CPROVER_assert(k != other || __CPROVER_uninterpreted_f(other) == __CPROVER_uninterpreted_f(k),
                     "of equals");
    __CPROVER_assert(__CPROVER_uninterpreted_sum(1, 2) == __CPROVER_uninterpreted_sum(1, 256 + 2),
                     "as converted");
    __CPROVER_assert(__CPROVER_uninterpreted_constant() == __CPROVER_uninterpreted_constant(),
                     "without arguments");
    pthread_t t;
    pthread_create(&t, 0, ask, 0);
    int here = __CPROVER_uninterpreted_f(7);
    pthread_join(t, 0);
    __CPROVER_assert(here == from_thread, "asked elsewhere");
}
