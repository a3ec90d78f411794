// precise: SUCCESSFUL --signed-overflow absent
// Twice the least number is 0 modulo 2^32, and yet the second sum always overflows.
#include <assert.h>
#include <limits.h>

int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int b = (a + INT_MIN) + INT_MIN;
    assert(b != 5);
}
