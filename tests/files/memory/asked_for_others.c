// A module with store buffers in its code is proved for these: with room for one store under TSO nothing fails here, with
// room for two, or under PSO, something does. Others cannot be asked for.
// RUN: sapa-cc %s | sapa-opt -p 'default,tso{k=1,overflow=wait}' - | grep '^memory'
// RUN: sapa-cc %s | sapa-opt -p 'default,tso{k=1,overflow=wait}' - | sapa check -
// RUN: sapa check --passes 'default,tso{k=1,overflow=wait}' %s
// RUN: sapa check --passes 'default,tso{k=1,overflow=wait}' --json %s | grep -o '"buffers":[^,]*'
// RUN: sapa check -q --passes 'default,tso{k=2,overflow=wait}' %s || echo "exit $?"
// RUN: sapa check --passes 'default,tso' --mm pso %s 2>&1 || echo "exit $?"
// RUN: sapa-cc %s | sapa-opt -p default,tso - | sapa check --mm sc - 2>&1 || echo "exit $?"
// RUN: sapa check --passes 'default,tso' --mm tso --buffer-bound 1 %s 2>&1 || echo "exit $?"
// RUN: sapa check -q --passes 'default,tso' --mm tso %s || echo "exit $?"
#include <assert.h>
#include <pthread.h>

int x, y, z, a = 1, b = 1;

void *first(void *arg)
{
    x = 1;
    y = 1;
    a = z;
    return 0;
}

void *second(void *arg)
{
    z = 1;
    __sync_synchronize();
    b = x;
    return 0;
}

int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, first, 0);
    pthread_create(&q, 0, second, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(a == 1 || b == 1);
    return 0;
}
