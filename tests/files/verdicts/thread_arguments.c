// What threads are handed is chosen anew for each of any number of them.
// precise: SUCCESSFUL
// precise: FAILED -DWIDE
// precise: SUCCESSFUL -DNESTED
// precise: FAILED -DNESTED -DWIDE
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

#ifdef WIDE
#define MOST 10
#else
#define MOST 9
#endif

void *worker(void *argument) {
    long number = (long)argument;
    assert(0 <= number && number <= 9);
    return 0;
}

#ifdef NESTED
// Who is handed a number hands on the one that is next.
void *master(void *argument) {
    long number = (long)argument;
    pthread_t thread;
    pthread_create(&thread, 0, worker, (void *)(number + 1));
    return 0;
}
#else
#define master worker
#endif

int main(void) {
    for (;;) {
        pthread_t thread;
        int number = __VERIFIER_nondet_int();
#ifdef NESTED
        if (0 <= number && number < MOST)
#else
        if (0 <= number && number <= MOST)
#endif
            pthread_create(&thread, 0, master, (void *)(long)number);
    }
}
