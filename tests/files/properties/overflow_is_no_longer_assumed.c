// RUN: cd %d && sapa check --signed-overflow absent overflow_is_no_longer_assumed.c
// RUN: cd %d && sapa check --signed-overflow absent --property assertions,overflow overflow_is_no_longer_assumed.c
// What is asked for and proved is not among what the verdict assumes.
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 100) {
        int y = x + 1;
        assert(y > x);
    }
    return 0;
}
