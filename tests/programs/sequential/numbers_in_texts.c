// covers: numbers-in-texts
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include "observe.h"

int main(void)
{
    char *end;
    const char *text = " \t-42x";
    observe(strtol(text, &end, 10));
    observe(end - text);
    observe(strtol("0x1fg", &end, 0));
    observe(*end);
    observe(strtol("0xg", &end, 16));
    observe(*end);
    observe(strtol("0777", 0, 0) + strtol("zZ", 0, 36) + strtol("19", 0, 8));
    text = "none";
    observe(strtol(text, &end, 10));
    observe(end - text);
    text = "+-1";
    observe(strtol(text, &end, 10) + 10 * (end - text));
    errno = 0;
    observe(strtol("9223372036854775807", 0, 10) == LONG_MAX);
    observe(errno);
    observe(strtol("9223372036854775808", 0, 10) == LONG_MAX);
    observe(errno);
    errno = 0;
    observe(strtol("-9223372036854775808", 0, 10) == LONG_MIN);
    observe(errno);
    observe(strtol("-99999999999999999999", &end, 10) == LONG_MIN);
    observe(errno + *end);
    errno = 0;
    observe(strtoul("18446744073709551615", 0, 10) == ULONG_MAX);
    observe(errno);
    observe(strtoul("-1", 0, 10) == ULONG_MAX);
    observe(errno);
    observe(strtoul("18446744073709551616", 0, 10) == ULONG_MAX);
    observe(errno);
    errno = 0;
    observe(strtol("12", 0, 99));
    observe(errno);
    observe(strtoll("-7", 0, 10) + strtoull("7f", 0, 16));
    char digits[] = "19";
    observe(atoi(digits) + atol(digits) + atoll(digits));
    observe(atof(" -2.5") * 2 == -5.0);
    observe(strtod("0.1e1", 0) == 1.0);
    text = "-12.5e+x";
    strtod(text, &end);
    observe(end - text);
    text = " .5e2.";
    strtof(text, &end);
    observe(end - text);
    text = ".e1";
    observe(strtod(text, &end) == 0);
    observe(end - text);
    observe_end();
    return 0;
}
