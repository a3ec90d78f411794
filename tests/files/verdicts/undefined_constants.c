// precise: SUCCESSFUL --threads 0
// NOTE assuming that divisions and shifts are defined
// Of constants too.
#include <limits.h>

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case 0: { int quotient = 1 / 0; break; }
    case 1: { int rest = INT_MIN % -1; break; }
    case 2: { unsigned moved = 1u << 32; break; }
    case 3: { if (1 >> -1) break; else break; }
    case 4: { static int seven = 7; seven <<= 1ull << 33; break; }
    default: return 0;
    }
    __CPROVER_assert(0, "the run has ended");
}
