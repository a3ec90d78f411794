// covers: printed-texts
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "observe.h"

/* A number that a text is known by. */
static long sum(const char *text)
{
    unsigned long sum = 7;
    for (; *text; text++)
        sum = sum * 31 + (unsigned char)*text;
    return (long)(sum & 0xffffffff);
}

static char text[96];

#define PRINT(...) observe(sprintf(text, __VA_ARGS__)), observe(sum(text))

int main(void)
{
    PRINT("plain");
    PRINT("%d %i", 42, -42);
    PRINT("%d %d", INT_MIN, INT_MAX);
    PRINT("[%5d|%-5d|%05d|%+d|% d]", 42, 42, -42, 42, 42);
    PRINT("[%5.3d|%.0d|%.d]", 7, 0, 0);
    PRINT("%u %u", 0u, UINT_MAX);
    PRINT("%x %X %#x %#X %#x %o %#o %#o", 255, 255, 255, 255, 0, 8, 8, 0);
    PRINT("%#06x|%#6x|%-#6x|%#.0o|%#05o", 10, 10, 10, 0, 8);
    PRINT("%ld %lu %lx", LONG_MIN, ULONG_MAX, -1L);
    PRINT("%lld %llu %zu %zd", -5LL, 5ULL, (size_t)6, (ssize_t)-6);
    PRINT("%hhd %hd %hhu %hu", 300, 70000, 300, 70000);
    PRINT("[%c|%3c|%-3c]", 'a', 'b', 'c');
    PRINT("[%s|%5s|%-5s|%.2s|%5.1s]", "abc", "de", "fg", "hij", "klm");
    PRINT("100%% of %s", "it");
    PRINT("[%*d|%-*d|%*d|%.*s]", 4, 1, 4, 2, -4, 3, 2, "xyz");
    PRINT("%.*d|%.*d", 3, 5, -1, 5);
    PRINT("a part of a format that is so long that it is printed in a loop: %d", 1);
    observe(snprintf(text, 4, "%d", 123456));
    observe(sum(text));
    observe(snprintf(text, 1, "%s", "abc"));
    observe(text[0]);
    text[0] = 'x';
    observe(snprintf(text, 0, "%s", "abc"));
    observe(text[0]);
    observe(snprintf(0, 0, "%d-%d", 10, 200));
    observe(snprintf(text, sizeof text, "%c%s", 0, "behind"));
    observe(text[1]);
    observe_end();
    return 0;
}
