// precise: FAILED
#include <assert.h>
#include <stddef.h>

void *kzalloc(size_t, unsigned);

int main(void)
{
    assert(kzalloc(8, 0xcc0));
    return 0;
}
