/* P of SAPA section 1.1: a mixed predicate tracked in a local variable alone is unsound.
 *
 * Threads: all run `worker`; a thread that is done stays, as in the paper's P^n.
 * Assertion: s != l. Safe for 1 thread, fails for 2: the first increments s to 1,
 * which is the second's l.
 *
 *     sapa check p.c --threads 1     SUCCESSFUL
 *     sapa check p.c --threads 2     FAILED
 */
#include <assert.h>

void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);

int s = 0;
_Thread_local int l = 1;

void worker(void)
{
    assert(s != l);
    __CPROVER_atomic_begin();
    ++s;
    __CPROVER_atomic_end();
    while (1) {
    }
}

int main(void)
{
    while (1) {
        __CPROVER_ASYNC_1: worker();
    }
}
