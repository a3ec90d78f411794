// A thread whose run ends in a store outside its object: what waits reaches memory all the same.
// RUN: sapa check --passes default,tso %s 2>&1 || echo "exit $?"
// RUN: sapa check --passes 'default,pso{layout=variables,k=1}' %s 2>&1 || echo "exit $?"
#include <assert.h>
#include <pthread.h>
int x;
int __VERIFIER_nondet_int(void);

void *writer(void *arg)
{
    int own[2];
    int index = __VERIFIER_nondet_int();
    x = 1;
    own[2 + (index & 1)] = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    assert(x == 0);
    return 0;
}
