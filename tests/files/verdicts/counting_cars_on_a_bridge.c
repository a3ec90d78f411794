// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Nothing limits how many go north but that they are on the bridge, of which there is room for so many: of two counts the
// one has the threads of the other.
#include <assert.h>
#include <pthread.h>

#ifdef BROKEN
#define ROOM 3
#else
#define ROOM 700
#endif

int on_bridge, northwards;

void *car(void *unused)
{
    __CPROVER_atomic_begin();
    __CPROVER_assume(on_bridge < ROOM);
    on_bridge++;
    __CPROVER_atomic_end();
#ifdef BROKEN
    __CPROVER_atomic_begin();
    on_bridge--;
    __CPROVER_atomic_end();
#endif
    __CPROVER_atomic_begin();
    northwards++;
    __CPROVER_atomic_end();
    assert(northwards >= 1 && northwards <= ROOM);
    __CPROVER_atomic_begin();
    northwards--;
    __CPROVER_atomic_end();
#ifndef BROKEN
    __CPROVER_atomic_begin();
    on_bridge--;
    __CPROVER_atomic_end();
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, NULL, car, NULL);
}
