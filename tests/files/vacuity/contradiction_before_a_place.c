// A place that is not to be reached stands behind an assumption that never holds, also where the
// passes fold the constant condition: no run comes to it, and the verdict says so.
// RUN: sapa check %s --threads 0
// RUN: sapa check %s --threads 0 --passes 'default,constant-propagation'
#include <assert.h>

void __CPROVER_assume(int);
int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __CPROVER_assume(x > 3 && x < 2);
    assert(0);
}
// check: no run passes line 13
// nextln: VERIFICATION SUCCESSFUL
// check: no run passes line 13
// nextln: VERIFICATION SUCCESSFUL
