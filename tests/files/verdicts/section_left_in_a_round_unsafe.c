// sound: FAILED --engine bounded
// sound: FAILED
// A round that leaves an atomic section and enters the next lets others act, although it changes nothing
// itself: what was read before it is not what is read after it.
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
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    down(1);
    pthread_create(&thread, 0, worker, 0);
    __VERIFIER_atomic_begin();
    int before = x;
    while (__VERIFIER_nondet_bool()) {
        __VERIFIER_atomic_end();
        __VERIFIER_atomic_begin();
    }
    int after = x;
    __VERIFIER_atomic_end();
    assert(before == after);
}
