// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q no_join.c; done 2>&1
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DWRITES no_join.c; done 2>&1
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DFENCE no_join.c; done 2>&1
// Nobody waits for the end of a thread, so that its end is no step of the formula: what waits then may
// reach memory later than anything that others do.
#include <assert.h>
#include <pthread.h>

int data, flag;

void *writer(void *unused)
{
    data = 1;
#ifdef FENCE
    __sync_synchronize();
#endif
    flag = 1;
    return 0;
}

void *reader(void *unused)
{
    if (flag)
        assert(data);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
#ifdef WRITES
    data = flag = 0;
#endif
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_exit(0);
}
