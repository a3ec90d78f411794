// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// Any number of threads: a lock of the program's own, of an atomic flag, or of a plain number.
#include <pthread.h>
#include <stdatomic.h>
int __VERIFIER_nondet_int(void);
#ifdef BROKEN
int taken;
#else
atomic_flag taken = ATOMIC_FLAG_INIT;
#endif
long balance;

void *deposit(void *arg) {
#ifdef BROKEN
    while (taken)
        ;
    taken = 1;
#else
    while (atomic_flag_test_and_set(&taken))
        ;
#endif
    balance += 10;
#ifdef BROKEN
    taken = 0;
#else
    atomic_flag_clear(&taken);
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, deposit, 0);
    return 0;
}
