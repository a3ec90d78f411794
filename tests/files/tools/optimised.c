// The preprocessor is told about optimisation, since programs ask for it.
// RUN: sapa check -O2 %s
// EXIT: 10
// check: VERIFICATION FAILED
#include <assert.h>
#include <stdlib.h>
int main(void)
{
#ifdef __OPTIMIZE__
    assert(atoi("1") != 1);
#endif
    return 0;
}
