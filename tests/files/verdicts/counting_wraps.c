// known gap: FAILED --timeout 5
// Without a bound on the number of threads a count comes back to 0: who is inside need not see that it is. (No trace is as
// long as that; the assertion must not be proved.)
#include <assert.h>
#include <pthread.h>

unsigned char inside;

void *visitor(void *unused)
{
    __CPROVER_atomic_begin();
    inside++;
    __CPROVER_atomic_end();
    assert(inside >= 1);
    __CPROVER_atomic_begin();
    inside--;
    __CPROVER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, NULL, visitor, NULL);
}
