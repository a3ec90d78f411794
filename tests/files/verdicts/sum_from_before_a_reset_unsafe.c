// sound: FAILED --engine bounded
// sound: FAILED
// What is read before a variable is set anew is not what is overwritten after that: 5 + 1 and two more are 8.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x = 5;

void *idle(void *unused) { return 0; }

void *add(void *unused)
{
    __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void)
{
    pthread_t first, second, third;
    pthread_create(&first, 0, idle, 0);
    __VERIFIER_atomic_begin();
    int old = x;
    x = 0;
    if (__VERIFIER_nondet_bool())
        x = old + 1;
    __VERIFIER_atomic_end();
    pthread_create(&second, 0, add, 0);
    pthread_create(&third, 0, add, 0);
    pthread_join(second, 0);
    pthread_join(third, 0);
    assert(x != 8);
    return 0;
}
