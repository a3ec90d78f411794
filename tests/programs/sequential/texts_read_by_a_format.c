// covers: scanned-texts
#include <stdio.h>
#include <string.h>
#include "observe.h"

int main(void)
{
    int a = 0, b = 0;
    char c = 0, word[16] = "";
    observe(sscanf(" 42 -7", "%d%d", &a, &b));
    observe(a + b);
    observe(sscanf("12x34", "%dx%d", &a, &b));
    observe(a * 100 + b);
    observe(sscanf("12y34", "%dx%d", &a, &b));
    observe(sscanf("key = value", "%15s = %3s", word, word + 8));
    observe(strlen(word) * 10 + strlen(word + 8));
    observe(sscanf("", "%d", &a));
    observe(sscanf("  ", "%d", &a));
    observe(sscanf("x", "%d", &a));
    observe(sscanf("-", "%d", &a) + sscanf("+5", "%1d", &a) + sscanf("0x5", "%1x", &a));
    observe(sscanf("1 ", "%d %c", &a, &c));
    observe(sscanf("abc", "%c%*c%c", &c, word));
    observe(c + word[0]);
    observe(sscanf("12345", "%2d%3d", &a, &b));
    observe(a * 1000 + b);
    observe(sscanf("ff 0x1f 017 010", "%x %x %i %o", &a, &b, &a, &b));
    observe(a + b);
    long l;
    short s;
    unsigned char u;
    unsigned long long q;
    observe(sscanf("-9000000000 -3 200 18446744073709551615", "%ld %hd %hhu %llu", &l, &s, &u, &q));
    observe(l + s + u + (long)q);
    observe(sscanf("50%", "%d%%", &a));
    observe_end();
    return 0;
}
