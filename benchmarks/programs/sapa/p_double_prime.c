/* P'' of SAPA section 1.1 and Appendix B: cannot be proved without a mixed predicate.
 *
 * Threads: all run `worker`; only the first one that increments r enters f.
 * Assertion: s == l. Safe for any number of threads, if r does not wrap around:
 * with wrap-around r comes back to 1 after 2^32 threads.
 *
 *     sapa check p_double_prime.c --threads unbounded --signed-overflow absent     SUCCESSFUL
 *
 * Each statement of the paper is an atomic section, since the paper's steps are statements.
 */
#include <assert.h>

void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);

int r = 0;
int s = 0;

void f(int l)
{
    while (1) {
        __CPROVER_atomic_begin();
        ++s, ++l;
        __CPROVER_atomic_end();
        assert(s == l);
    }
}

void worker(void)
{
    int l = 0;
    __CPROVER_atomic_begin();
    ++r;
    __CPROVER_atomic_end();
    if (r == 1)
        f(l);
    while (1) {
    }
}

int main(void)
{
    while (1) {
        __CPROVER_ASYNC_1: worker();
    }
}
