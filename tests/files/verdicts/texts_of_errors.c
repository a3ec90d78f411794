// precise: INCONCLUSIVE -DSAME
// precise: INCONCLUSIVE -DDIFFERENT
// precise: INCONCLUSIVE -DEQUAL_TEXTS
// precise: SUCCESSFUL
// Which texts are one object is glibc's, and so is what they say.
#include <assert.h>
#include <string.h>

int main(void)
{
    char *one = strerror(1), *two = strerror(2), *again = strerror(2);
#ifdef SAME
    assert(one == two);
#elif defined DIFFERENT
    assert(two != again);
#elif defined EQUAL_TEXTS
    assert(one[0] == two[0]);
#endif
    assert(one && one[0] && two && again);
    return 0;
}
