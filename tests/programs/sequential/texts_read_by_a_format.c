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
    char key[8] = "";
    observe(sscanf("key=77", "%7[a-z]=%d", key, &b) * 100 + b + (int)strlen(key));
    observe(sscanf("a]b-c", "%7[]a-c-]", key) * 100 + (int)strlen(key));
    observe(sscanf("one,two", "%[^,],%3[^\n]", word, key) * 100 + (int)strlen(word) + key[2]);
    observe(sscanf("longer than it", "%4[a-z ]%n", key, &a) * 100 + a);
    observe(sscanf(" x", "%[a-z]", key) + sscanf("", "%[a-z]", key) + sscanf("5", "%*[a-z]%d", &a));
    observe(sscanf("17 rest", "%d %n%*s", &a, &b) * 100 + b);
    double d;
    observe(sscanf("1.5e3 7", "%lf %d", &d, &a) * 100 + a + sscanf("x", "%lf", &d) + sscanf(" -.5;", "%lf;", &d));
    observe_end();
    return 0;
}
