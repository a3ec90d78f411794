// precise: SUCCESSFUL
// precise: FAILED -DWRONG
// What a function of the program prints by the format that it is handed is exact.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char line[16];

static int print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return length;
}

int main(void) {
    assert(print("%s=%-3d|%04x", "n", 7, 255u) == 10);
    assert(strcmp(line, "n=7  |00ff") == 0);
    assert(print("%%%c%ld", 'c', -12L) == 5);
#ifdef WRONG
    assert(line[1] == 'd');
#endif
}
