// Each thread reads before its store reaches memory, unless a fence is between. The trace shows which stores wait.
// RUN: sapa check --mm sc -q %s
// RUN: sapa check --mm tso %s || echo "exit $?"
// RUN: sapa check --mm x86 --atomicity statement -q %s || echo "exit $?"
// RUN: sapa check --mm tso -DFENCE %s
// RUN: sapa check --mm pso -DFENCE %s
// RUN: sapa check --mm pso --json %s | grep -o '"memory_model.*size"'
#include <assert.h>
#include <pthread.h>

int x, y, a, b;

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence()
#endif

void *first(void *arg)
{
    x = 1;
    fence();
    a = y;
    return 0;
}

void *second(void *arg)
{
    y = 1;
    fence();
    b = x;
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(a == 1 || b == 1);
    return 0;
}
