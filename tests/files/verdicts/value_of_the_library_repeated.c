// precise: SUCCESSFUL --threads 0
// NOTE the value of `towupper` is any, but one for the same arguments
#include <wctype.h>

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    __CPROVER_assert(towupper(x) == towupper(x), "the same");
}
