// covers: pointers
// Numbers in addresses wrap as their own types do; what is wider than an address extends its sign.
#include "observe.h"

char *wraps = (char *)(4294967295u + 2);
char *large = (char *)(0u - 1);
unsigned long back = (unsigned long)(char *)(0u - 1);
long shifted = (long)(char *)8 + 4294967295u;

int main(void)
{
    char *p = (char *)-1L;
    observe((long)wraps);
    observe((long)large);
    observe(back);
    observe(shifted);
    observe((__int128)p == -1);
    observe((unsigned __int128)p >> 64 == 0xffffffffffffffff);
    observe(__atomic_always_lock_free(1, 0) + __atomic_always_lock_free(8, 0));
    observe(__atomic_always_lock_free(3, 0));
    observe(__atomic_always_lock_free(16, 0));
    observe(__atomic_always_lock_free(4, &back));
    observe_end();
    return 0;
}
