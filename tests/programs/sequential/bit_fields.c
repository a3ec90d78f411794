// covers: bit-fields
#include "observe.h"

struct flags { unsigned a : 3; unsigned b : 5; int c : 3; _Bool d : 1; unsigned : 0; unsigned char e : 4; };

int main(void)
{
    struct flags f = { 5, 3, -1, 1 };
    f.b += 6;
    f.a = 9;
    observe(f.a);
    observe(f.b);
    observe(f.c);
    observe(f.d);
    f.c = 3;
    observe(f.c);
    observe(f.a++ + f.a);
    observe(sizeof f);
    observe((f.a = 17));
    f.a = 7;
    observe(++f.a);
    observe(--f.a);
    observe(f.a += 5);
    observe(sizeof(f.e << 1));
    observe_end();
    return 0;
}
