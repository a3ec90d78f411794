// precise: SUCCESSFUL --signed-overflow absent
// precise: SUCCESSFUL --signed-overflow absent --mm tso
// precise: SUCCESSFUL --signed-overflow absent --mm pso
// precise: FAILED --mm pso
// precise: SUCCESSFUL --signed-overflow absent --passes default,pso

// The reader finds the second store without the first under PSO alone. Then its sum overflows, which is excluded: that it has
// room where stores do not wait says nothing of runs in which they do.

#include <assert.h>
#include <limits.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int first, second;

void *writer(void *argument)
{
    first = 1;
    second = 1;
    return argument;
}

void *reader(void *argument)
{
    __VERIFIER_atomic_begin();
    int later = second;
    int sooner = first;
    int between = sooner - later;
    int sum = INT_MIN + between;
    if (sum > 0)
        assert(between >= 0);
    __VERIFIER_atomic_end();
    return argument;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    return 0;
}
