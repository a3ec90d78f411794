// covers: bit-fields
#include "observe.h"

// Sections of bit-fields are memory locations of their own.
struct places { int a : 4; char : 0; int b : 20; };
struct places places = { 3, -7 };

int main(void)
{
    observe(sizeof(struct places));
    observe(places.a);
    observe(places.b);
    places.b = 0x7ffff;
    places.a--;
    observe(places.a);
    observe(places.b);
    struct places *p = &places;
    p->a = 7;
    observe(p->b += 1);
    observe(p->a);
    unsigned char *bytes = (unsigned char *)p;
    observe(bytes[0] & 15);
    observe(bytes[1]);
    observe(bytes[2]);
    observe(bytes[3] & 15);
    observe_end();
    return 0;
}
