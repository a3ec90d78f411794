// precise: SUCCESSFUL
// precise: FAILED -DUNCHANGED
// glibc copies what fits of a name that does not, without a zero behind it.
#include <assert.h>
#include <unistd.h>

int main(void)
{
    char name[] = "\0\0z";
    assert(gethostname(name, 0) == -1);
    if (gethostname(name, 2) == 0)
        assert(!name[0] || !name[1]);
#ifdef UNCHANGED
    else
        assert(!name[0]);
#endif
    assert(name[2] == 'z');
    return 0;
}
