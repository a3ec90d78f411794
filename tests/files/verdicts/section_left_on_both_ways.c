// precise: SUCCESSFUL --threads 2
// Each way leaves the section and returns; an end that no way reaches leaves none.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);

int x;

int step(void)
{
    __VERIFIER_atomic_begin();
    x = 1;
    if (__VERIFIER_nondet_int()) {
        x = 0;
        __VERIFIER_atomic_end();
        return 1;
    } else {
        x = 0;
        __VERIFIER_atomic_end();
        return 0;
    }
    __VERIFIER_atomic_end();
}

void *worker(void *argument)
{
    // Entered before it is left, and left in the middle of the loop.
    __VERIFIER_atomic_begin();
    while (1) {
        if (__VERIFIER_nondet_int()) {
            __VERIFIER_atomic_end();
            break;
        }
    }
    step();
    goto later;
again:
    x = 0;
    __VERIFIER_atomic_end();
    assert(x == 0);
    return 0;
later:
    __VERIFIER_atomic_begin();
    x = 2;
    goto again;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
