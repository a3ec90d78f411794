// covers: builtins
#include <unistd.h>
#include "observe.h"

unsigned short s = 0xff;

int main(void)
{
    int i = -1;
    unsigned u = 0xffffffffu;
    double d = 0.5;
    observe(-__builtin_bswap16(0x100) < 0);
    observe(__builtin_bswap16(s) << 4);
    observe(sizeof(__builtin_bswap16(s)));
    observe(__builtin_expect(i, 0) < 0u);
    observe(__builtin_expect(u, 1) + 1 == 0x100000000L);
    observe(__builtin_expect(d, 1));
    observe(sizeof(__builtin_expect(i, 1)));
    observe(sleep(0) >= 0);
    observe_end();
    return 0;
}
