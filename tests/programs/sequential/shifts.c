// covers: integers
#include "observe.h"

int main(void)
{
    int x = -16;
    unsigned u = 0x80000000u;
    observe(x >> 2);
    observe(u >> 4);
    observe(1 << 20);
    observe((char)(1 << 7));
    observe(1L << 40);
    observe((x >> 31) & 1);
    observe_end();
    return 0;
}
