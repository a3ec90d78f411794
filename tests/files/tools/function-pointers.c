// Calls through pointers: each function that the pointer may be.
// RUN: sapa check %s --threads 1
// RUN: sapa check -DWRONG %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>

int x = 0;
int __VERIFIER_nondet_int(void);

int one(int by) { return by + 1; }
int two(int by) { return by + 2; }
void three(void) { x = 3; }

int (*table[2])(int) = {one, two};
void (*last)(void) = three;

void *worker(void *argument)
{
    int (*f)(int) = __VERIFIER_nondet_int() ? table[0] : table[1];
    int v = f(1);

#ifdef WRONG
    assert(v == 2);
#else
    assert(v == 2 || v == 3);
#endif
    last();
    assert(x == 3);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
}
// check: assuming valid function pointers
// check: VERIFICATION SUCCESSFUL
// check: Failed assertion at
// check: VERIFICATION FAILED
