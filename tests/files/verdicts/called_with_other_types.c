// What is called through a pointer of another type has no meaning in C: no run is followed into it.
// sound: SUCCESSFUL --timeout 3
// sound: SUCCESSFUL --engine bounded --unwind 2
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
int count;

long next(long number) { return number + 1; }

void *worker(void *unused) {
    count++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int (*function)(int) = (int (*)(int))next;
    int number = function(__VERIFIER_nondet_int());
    pthread_join(thread, 0);
    assert(number != 77 || count == 1);
}
