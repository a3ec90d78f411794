// The store to x is seen late only if the one to the thread's own object, whose address it has stored, waits behind it: with room
// for one store nothing fails. The code with buffers leaves the own object out of them, so that its failure is not believed.
// RUN: sapa check --mm tso --buffer-bound 1 -q %s || echo "exit $?"
// RUN: sapa check --mm tso --buffer-bound 2 -q %s || echo "exit $?"
// Under PSO there is a buffer for each place.
// RUN: sapa check --mm pso --buffer-bound 1 -q %s || echo "exit $?"
// Before the one to x, it makes room.
// RUN: sapa check --mm tso --buffer-bound 1 -q -DBEFORE %s || echo "exit $?"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;
int __unbuffered_r0 = 1, __unbuffered_r1 = 1;

struct holder {
    int *own;
};

void *first(void *arg)
{
    int own = 0;
    struct holder holder;
    holder.own = &own;
#if defined BEFORE
    *holder.own = 1;
#endif
    x = 1;
#if !defined BEFORE
    *holder.own = 1;
#endif
    __unbuffered_r0 = y;
    return 0;
}

void *second(void *arg)
{
    y = 1;
    __sync_synchronize();
    __unbuffered_r1 = x;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(__unbuffered_r0 || __unbuffered_r1);
}
