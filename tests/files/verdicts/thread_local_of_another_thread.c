// sound: SUCCESSFUL --timeout 10
// A pointer to an object that is local to a thread leads to that thread's, whoever uses it; also where runs
// are searched state by state.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
_Thread_local int x;

int down(int n) { return n ? down(n - 1) : 0; }

void *worker(void *place)
{
    assert(*(int *)place == 5);
    return 0;
}

int main(void)
{
    pthread_t thread;
    int n = 0;
    while (__VERIFIER_nondet_bool())
        n++;
    down(n);
    x = 5;
    pthread_create(&thread, 0, worker, &x);
    pthread_join(thread, 0);
}
