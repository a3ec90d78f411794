// covers: library-values
#include <arpa/inet.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include "observe.h"

int main(void)
{
    static const char samples[] = "\t\r !/09:@AFGZ[`afgz{~\x7f";
    for (int i = 0; i < (int)sizeof samples; i++) {
        int c = samples[i];
        observe(!!isdigit(c) | !!isalpha(c) << 1 | !!isalnum(c) << 2 | !!isspace(c) << 3);
        observe(!!isupper(c) | !!islower(c) << 1 | !!isxdigit(c) << 2 | !!isblank(c) << 3);
        observe(!!iscntrl(c) | !!isprint(c) << 1 | !!isgraph(c) << 2 | !!ispunct(c) << 3);
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
