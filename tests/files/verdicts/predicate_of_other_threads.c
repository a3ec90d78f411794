// precise: FAILED --threads 2 --engine explicit --max-cube-length 1 --predicates %d/predicate_of_other_threads.predicates
// What is learned of threads of `r` by their local `l` says nothing of the thread of `r2`.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int g, h, f, z, w, q;
_Thread_local int tls;

void *r(void *unused) {
    int l = h;
    tls = l;
    w = 1;
    __VERIFIER_assume(f == 1);
    int k = g;
    __CPROVER_assert(tls < k, "r");
    return 0;
}

void *r2(void *unused) {
    tls = 5;
    z = 1;
    __VERIFIER_assume(f == 1);
    q = 1;
    q = 2;
    q = 3;
    q = 4;
    int k = g;
    __CPROVER_assert(tls < k, "r2");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, r2, 0);
    pthread_create(&thread, 0, r, 0);
    __VERIFIER_assume(z == 1);
    __VERIFIER_assume(w == 1);
    int v = __VERIFIER_nondet_int();
    __VERIFIER_assume(v > h);
    g = v;
    f = 1;
}
