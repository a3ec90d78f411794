// covers: builtins
#include "observe.h"

int main(void)
{
    observe(__builtin_popcount(0xf0f0));
    observe(__builtin_popcountl(-1L));
    observe(__builtin_clz(1));
    observe(__builtin_ctz(8));
    observe(__builtin_clzll(1ULL << 40));
    observe(__builtin_ctzl(1L << 33));
    observe(__builtin_ffs(0));
    observe(__builtin_ffs(12));
    observe(__builtin_parity(7));
    observe(__builtin_bswap32(0x01020304));
    observe(__builtin_bswap16(0x0102));
    observe((long)__builtin_bswap64(1));
    observe_end();
    return 0;
}
