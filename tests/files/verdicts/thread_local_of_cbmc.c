// precise: SUCCESSFUL --threads 2
// `__CPROVER_thread_local` is `_Thread_local`: nobody else writes it.
#include <assert.h>

__CPROVER_thread_local int mine;
static __CPROVER_thread_local unsigned count = 5;
extern __CPROVER_thread_local int mine;

void worker(void)
{
    assert(mine == 0 && count == 5);
    mine = 1;
    count++;
    assert(mine == 1 && count == 6);
}

int main(void)
{
    __CPROVER_ASYNC_1: worker();
    __CPROVER_ASYNC_2: worker();
    assert(mine == 0);
}
