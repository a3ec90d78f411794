// precise: FAILED --property assertions,division
// precise: SUCCESSFUL --property division
// The assertion fails, and ends the program: what is behind it does not happen.
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    assert(x != 0);
    return 1 / x % 2;
}
