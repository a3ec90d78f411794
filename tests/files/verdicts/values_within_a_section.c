// precise: FAILED
// What an assertion in the midst of an atomic section sees may contradict what is known where other threads stand: that is known where
// others may act. (`g` grows only while `busy` is small, and `main` looks at sums with `busy` in many ways.)
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

int busy, g;

void *watch(void *argument)
{
    while (1) {
        __VERIFIER_atomic_begin();
        busy = busy + 1;
        assert(!(busy == 1 && g == 3));
        busy = busy - 1;
        __VERIFIER_atomic_end();
    }
}

void *grow(void *argument)
{
    while (1) {
        __VERIFIER_atomic_begin();
        if (g < 3 && busy < 5)
            g++;
        __VERIFIER_atomic_end();
    }
}

int main(void)
{
    pthread_t t;
    int k = __VERIFIER_nondet_int(), s = 0;
    __VERIFIER_assume(k == 1 || k == 2 || k == 4 || k == 8);
    pthread_create(&t, 0, grow, 0);
    pthread_create(&t, 0, watch, 0);
    __VERIFIER_atomic_begin();
    if (__VERIFIER_nondet_int()) s += 1;
    if (__VERIFIER_nondet_int()) s += 2;
    if (__VERIFIER_nondet_int()) s += 1;
    if (__VERIFIER_nondet_int()) s += 2;
    if (__VERIFIER_nondet_int()) s += 1;
    assert(busy + k != 3);
    __VERIFIER_atomic_end();
    while (1) {
        __VERIFIER_atomic_begin();
        if (s > 100)
            g = 0;
        __VERIFIER_atomic_end();
    }
}
