// covers: operators
#include "observe.h"

int main(void)
{
    unsigned x = 0xdeadbeef;
    observe(x & -x);
    observe(x ^ (x >> 16));
    observe((x << 7) | (x >> 25));
    observe(~x & 0xff);
    unsigned hash = 2166136261u;
    for (const char *p = "sapa"; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    observe(hash);
    observe_end();
    return 0;
}
