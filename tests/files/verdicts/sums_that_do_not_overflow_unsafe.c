// precise: FAILED --signed-overflow absent
// The ends themselves are possible.
#include <assert.h>
#include <limits.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int d = a - 5;
    assert(a > INT_MIN + 5);
    int e = b - (-7);
    assert(b <= INT_MAX - 7);
    int f = c - INT_MIN;
    assert(c < 0);
    return d ^ e ^ f;
}
