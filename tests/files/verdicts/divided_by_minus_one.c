// precise: SUCCESSFUL --threads 0
// NOTE assuming that divisions and shifts are defined
// The least number divided by -1 is undefined in C, and machines stop there.
#include <limits.h>

int main(void) {
    int x = __VERIFIER_nondet_int();
    __CPROVER_assert(x / -1 == -x, "the quotient");
    __CPROVER_assert(x != INT_MIN, "such a run has ended");
    int y = __VERIFIER_nondet_int(), by = __VERIFIER_nondet_int();
    int rest = y % by;
    __CPROVER_assert(by != 0, "nor is it gone past with this one");
    __CPROVER_assert(y != INT_MIN || by != -1, "nor with these");
    __CPROVER_assert(y < 0 || rest >= 0, "the remainder has the sign of the dividend");
}
