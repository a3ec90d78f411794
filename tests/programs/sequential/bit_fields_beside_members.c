// covers: bit-fields
#include "observe.h"
#include <string.h>

// Bit-fields share their word with what stands before them, and what follows may stand in it.
struct before { char c; int a : 4; int b : 20; };
struct both { short h; unsigned a : 9; unsigned b : 7; unsigned c : 20; char last; };
struct after { int a : 20; char c; long long wide : 40; short h; };
struct __attribute__((packed)) packed { char c; unsigned a : 30; unsigned long long b : 61; _Bool d : 1; char e; };
union views { struct before parts; int whole; unsigned short halves[2]; int few : 19; };
struct inner { unsigned char tag; unsigned x : 3; unsigned y : 21; };
struct outer { struct inner in; int z : 5; struct inner array[2]; };

struct before initialised = { 'x', -3, 0x1234 };
struct both zero;
struct packed packed = { 1, 0x2aaaaaaa, 0x1555555555555555, 1, 2 };
struct outer outer = { { 9, 5, 0x155555 }, -16, { { 1, 2, 3 }, { 4, 5, 6 } } };

static void bytes(const void *object, unsigned size)
{
    unsigned sum = 0;
    const unsigned char *p = object;
    for (unsigned i = 0; i < size; i++)
        sum = sum * 31 + p[i];
    observe(sum);
}

int main(void)
{
    observe(sizeof(struct before));
    observe(sizeof(struct both));
    observe(sizeof(struct after));
    observe(sizeof(struct packed));
    observe(sizeof(union views));
    observe(sizeof(struct outer));
    observe(initialised.c);
    observe(initialised.a);
    observe(initialised.b);
    bytes(&initialised, sizeof initialised);

    initialised.b = -1;
    observe(initialised.c);
    observe(initialised.a);
    observe(initialised.b);
    initialised.c = 0;
    initialised.a = 5;
    observe(initialised.b++);
    observe(initialised.b);
    observe(initialised.a += 7);
    bytes(&initialised, sizeof initialised);

    zero.h = -1;
    zero.a = 0x155;
    zero.b = 0x7f;
    zero.c = 0xabcde;
    zero.last = 'l';
    zero.b ^= 0x2a;
    observe(zero.h);
    observe(zero.a);
    observe(zero.b);
    observe(zero.c);
    observe(zero.last);
    struct both copy = zero;
    copy.a = 0;
    observe(copy.b);
    observe(copy.c);

    struct after after;
    memset(&after, 0, sizeof after);
    after.a = -5;
    after.c = 'c';
    after.wide = 0x1234567890;
    after.h = 77;
    observe(after.a);
    observe(after.c);
    observe(after.wide);
    observe(after.h);
    bytes(&after, sizeof after);

    observe(packed.a);
    observe(packed.b);
    observe(packed.d);
    observe(packed.e);
    packed.b++;
    packed.a = ~0u;
    observe(packed.a);
    observe(packed.b);
    observe(packed.d);
    observe(packed.c);
    bytes(&packed, sizeof packed);

    union views view = { .whole = 0x12345678 };
    observe(view.parts.c);
    observe(view.parts.a);
    observe(view.parts.b);
    observe(view.few);
    view.parts.b = 0x55;
    observe(view.whole);
    view.few = 1;
    observe(view.whole);
    observe(view.halves[0]);

    observe(outer.in.y);
    observe(outer.z);
    observe(outer.array[1].x);
    observe(outer.array[0].y);
    for (int i = 0; i < 2; i++)
        outer.array[i].y += outer.array[1 - i].x;
    observe(outer.array[0].y);
    observe(outer.array[1].y);
    observe(outer.array[1].tag);
    bytes(&outer.array, sizeof outer.array);
    observe_end();
    return 0;
}
