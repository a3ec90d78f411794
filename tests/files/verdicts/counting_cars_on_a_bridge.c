// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Nothing limits how many go north but that they are on the bridge, of which three at a time are: of two counts the one has the
// threads of the other.
#include <assert.h>
#include <pthread.h>

int on_bridge, northwards;

void *car(void *unused)
{
    __CPROVER_atomic_begin();
    __CPROVER_assume(on_bridge < 3);
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
    assert(northwards >= 1 && northwards <= 3);
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
