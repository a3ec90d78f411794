// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q unbuffered.c; done 2>&1; echo $?
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DORDINARY unbuffered.c; done 2>&1; echo $?
// Where a pointer leads that is read from memory is known only when all is unfolded. What never waits
// overtakes what does, under TSO too, so that a store which may be to both is neither of the two.
#include <assert.h>
#include <pthread.h>

#ifdef ORDINARY
#define OTHER other
#else
#define OTHER __unbuffered_other
#endif

int x, OTHER, *to = &x;

void *writer(void *unused)
{
    x = 1;
    *to = 1;
    return 0;
}

void *selector(void *unused)
{
    to = &OTHER;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, selector, 0);
    pthread_create(&threads[1], 0, writer, 0);
    if (OTHER)
        assert(x);
    return 0;
}
