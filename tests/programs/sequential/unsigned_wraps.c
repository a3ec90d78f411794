// covers: integers
#include "observe.h"

int main(void)
{
    unsigned u = 0;
    unsigned char c = 255;
    unsigned short s = 65535;
    u--;
    c++;
    s += 2;
    observe(u);
    observe(c);
    observe(s);
    observe(u + 1 == 0);
    observe(u * u);
    observe_end();
    return 0;
}
