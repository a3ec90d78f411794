/* P' of SAPA section 1.1: a mixed predicate tracked in a shared variable is unsound.
 *
 * Threads: all run `worker`; a thread that is done stays, as in the paper's P'^n.
 * Assertion: t <-> (s == l). Fails for 2 threads: the first runs to its end and
 * sets t to 0, while the second's l still equals s.
 *
 *     sapa check p_prime.c --threads 2     FAILED
 */
#include <assert.h>

void __CPROVER_assume(int);
void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);

int s = 0;
_Thread_local int l = 0;
_Bool t = 1;

void worker(void)
{
    __CPROVER_atomic_begin();
    assert(t == (s == l));
    __CPROVER_atomic_end();
    __CPROVER_assume(t);
    __CPROVER_atomic_begin();
    ++l, t = 0;
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
