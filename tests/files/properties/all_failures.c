// RUN: cd %d && sapa check --all --property assertions,pointers,leaks all_failures.c
// RUN: cd %d && sapa check --all all_failures.c
// RUN: cd %d && sapa check --all -DSAFE all_failures.c
// RUN: cd %d && sapa check --all -DSAFE --json all_failures.c | grep -o '"results":[^]]*]'
// RUN: cd %d && sapa check --all --dump-dir /nonexistent all_failures.c 2>&1
// Each assertion has a verdict: that of one that fails does not hide the others, and those behind it hold in the runs
// that get past it.
// EXIT: 1
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int *p = malloc(sizeof *p);
    *p = x;
#ifndef SAFE
    assert(x != 7);
    if (x == 8)
        free(p);
    assert(*p != 9);
#endif
    if (x != *p)
        assert(0);
    assert(*p == x);
    return 0;
}
