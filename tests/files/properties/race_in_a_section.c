// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// Sections of the program are in order with each other, and not with what is outside of them.
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int value, copy;

void *work(void *arg) {
    __VERIFIER_atomic_begin();
    value = value + 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
#ifdef BROKEN
    copy = value;
#else
    __VERIFIER_atomic_begin();
    copy = value;
    __VERIFIER_atomic_end();
#endif
    return copy;
}
