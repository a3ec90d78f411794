// precise: FAILED --threads 1
// An atomic section ends with the thread that is in it.
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int x;

void *leaves(void *argument) {
    __VERIFIER_atomic_begin();
    x = 1;
    if (x)
        pthread_exit(0);
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, leaves, 0);
    pthread_join(thread, 0);
    __CPROVER_assert(x == 0, "it has written");
}
