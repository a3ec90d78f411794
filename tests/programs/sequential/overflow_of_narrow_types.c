// covers: integers
#include "observe.h"

int main(void)
{
    signed char c = 127;
    short s = -32768;
    c++;
    s--;
    observe(c);
    observe(s);
    observe((char)128);
    observe((short)(c * 300));
    observe_end();
    return 0;
}
