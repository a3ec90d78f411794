// covers: unions
#include "observe.h"

int main(void)
{
    union u { int i; unsigned char b[4]; short s; } u;
    u.i = 0x01020304;
    observe(u.b[0]);
    observe(u.s);
    u.b[3] = 0x7f;
    observe(u.i);
    observe(sizeof u);
    union u v = u;
    observe(v.b[1]);
    observe_end();
    return 0;
}
