#include <header.h>
#include <assert.h>

int two(void);

int main(void)
{
    assert(ONE == 1 && two() == 2);
    assert(SHARED);
    return 0;
}
