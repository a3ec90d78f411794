// sound: FAILED --engine bounded
// sound: FAILED
// A round that writes what was read once has changed something if a part of it was written in between.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x;

// The abstraction does not treat recursion.
int down(int n) { return n ? down(n - 1) : 0; }

void *worker(void *unused)
{
    x = x;
    return 0;
}

int main(void)
{
    pthread_t thread;
    down(1);
    pthread_create(&thread, 0, worker, 0);
    __VERIFIER_atomic_begin();
    int old = x;
    *(char *)&x = 5;
    while (__VERIFIER_nondet_bool())
        x = old;
    int new = x;
    __VERIFIER_atomic_end();
    assert(new == 5);
}
