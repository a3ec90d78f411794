// C leaves open what atoi makes of a number that does not fit: runs that read one end there, and the
// verdict says so.
// RUN: sapa check %s; sapa check -DFITS %s
// check: assuming that numbers read from texts fit into their types
// sameln: no run passes line
// nextln: VERIFICATION SUCCESSFUL
// check: access atomicity
// not: assuming that numbers
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <stdlib.h>
int main(void)
{
#ifdef FITS
    assert(atol("-9223372036854775808") < 0 && atoi(" 2147483647x") > 0);
#else
    int n = atoi("2147483648");
    assert(n < 0);
#endif
}
