// Shifts and divisions that are defined by the form of their operands assume nothing, and neither do
// those of the models of floating point.
// RUN: sapa check %s; sapa check -DFLOAT %s
// check: access atomicity
// not: assuming
// nextln: VERIFICATION SUCCESSFUL
// check: access atomicity
// not: assuming
// nextln: VERIFICATION SUCCESSFUL
// RUN: sapa check -DWIDER %s; sapa check -DZERO %s
// check: assuming that divisions and shifts are defined
// nextln: VERIFICATION SUCCESSFUL
// check: assuming that divisions and shifts are defined
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
unsigned __VERIFIER_nondet_uint(void);
unsigned char __VERIFIER_nondet_uchar(void);
float g = 3;
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), c = __VERIFIER_nondet_uchar();
#if defined FLOAT
    assert((int)g == 3);
#elif defined WIDER
    assert((1u << (n & 63)) != 0);
#elif defined ZERO
    assert(100 / (n & 31) <= 100);
#else
    assert((1u << (n & 31)) != 0);
    assert((1u << (n % 20 + 3)) != 0);
    assert((1ull << (c >> 3)) != 0);
    assert(100 / (n | 1) <= 100);
    assert(100 / ((int)(n & 7) + 2) <= 50);
#endif
}
