// EXIT: 10
// check: no signed overflow: the result of abs fits into 32 bits
// check: VERIFICATION FAILED
// RUN: sapa check --property overflow %s
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void)
{
    return abs(__VERIFIER_nondet_int()) > 0;
}
