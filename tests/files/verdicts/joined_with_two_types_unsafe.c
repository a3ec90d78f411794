// precise: FAILED --threads 1
// One thread, joined by either function: which result there is depends on the way taken.
#include <pthread.h>
#include <threads.h>
extern int __VERIFIER_nondet_int(void);

int worker(void *unused) {
    return -3;
}

int main(void) {
    thrd_t thread;
    void *pointer = 0;
    int number = 7;
    thrd_create(&thread, worker, 0);
    if (__VERIFIER_nondet_int())
        pthread_join(thread, &pointer);
    else
        thrd_join(thread, &number);
    __CPROVER_assert(number != 7, "the other join leaves it");
}
