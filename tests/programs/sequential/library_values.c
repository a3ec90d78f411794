// covers: library-values
#include <arpa/inet.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include "observe.h"

int main(void)
{
    observe(!!isdigit('7') | !!isdigit('a') << 1 | !!isalpha('[') << 2 | !!isspace('\t') << 3);
    observe(!!isupper('a') | !!islower('a') << 1 | !!isxdigit('G') << 2 | !!ispunct('@') << 3);
    for (int c = 'A' - 1; c <= 'z' + 1; c += c == 'B' ? 23 : 1) {
        observe(toupper(c));
        observe(tolower(c));
    }
    observe(ffs(0) + 10 * ffs(12));
    observe(ffsl(1L << 40));
    observe(abs(-3) + labs(-40L) + llabs(500LL));
    observe(atoi("42") + atoi(" \t-7x") + atoi("+1") + atoi("none"));
    observe(atol("-9000000000"));
    char text[] = "  -12";
    text[4] = '3';
    observe(atoi(text));
    observe(htonl(0x01020304) + ntohs(0x0506));
    observe(fabs(-2.5) == 2.5);
    observe_end();
    return 0;
}
