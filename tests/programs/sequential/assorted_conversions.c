// covers: integers, operators
#include "observe.h"

struct flags { unsigned a : 3; int b : 31; unsigned long c : 40; };
enum level { LOW = -1, HIGH = 3 };
static char narrow(int x) { return x; }
static unsigned char wide(signed char x) { return x; }
static long promote(unsigned x) { return x - 1; }

int main(void)
{
    unsigned char c = 255;
    int i = 7;
    struct flags f = { 0, -5, 1ul << 39 };
    enum level e = LOW;
    long l = 1 << 31;
    char chain;
    short other;
    int last;
    c += 1.5;
    observe(c);
    i += 0.9;
    observe(i);
    i *= 1.5;
    observe(i);
    observe(f.a - 1 < 0);
    observe(f.b);
    observe(f.c + f.c);
    observe(e < 0);
    observe(l);
    observe(last = other = chain = 300);
    observe(narrow(200));
    observe(wide(-1));
    observe(promote(0));
    observe(-1 < (long)sizeof(int));
    observe(-1 < sizeof(int));
    observe((char)200 >> 1);
    observe(~0u >> 1);
    observe(!!42 + !0);
    observe((unsigned short)-1 * (unsigned short)1);
    observe(5 - 3 - 1);
    observe(2 * 3 % 4);
    observe(1 ? -1 : 1u);
    observe((1 ? -1 : 1u) > 0);
    observe(7 & 3 == 3);
    observe(1 << 2 + 1);
    observe(-7 / 2 * 2 + -7 % 2);
    observe(sizeof(char) + sizeof 'a' + sizeof(1 ? 'a' : 1L));
    observe((unsigned)1 << 31 >> 31);
    observe(0x7fffffff + 1u);
    observe((int)2147483648u);
    observe((long)(int)0xfffffffful);
    observe((signed char)0x80 == -128);
    observe(i++ * 2 + i);
    observe(i-- - 1);
    observe(+c + -c);
    observe('\0' == 0 && "ab"[2] == 0);
    observe(1.0f * 3 / 2 == 1.5);
    observe((int)-0.9 + (int)0.9);
    observe(10 / 4 * 1.0);
    observe(3.7 > 3 && 3 < 3.7f);
    observe_end();
    return 0;
}
