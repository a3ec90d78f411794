// covers: threads-in-loops
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
int x;

void *worker(void *arg)
{
    __sync_fetch_and_or(&x, 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    assert(x == 0 || x == 1);
    return 0;
}
