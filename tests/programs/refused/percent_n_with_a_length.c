// covers: varargs
// error: '%n' in a call of 'fprintf' is not supported
#include <stdio.h>

int main(void)
{
    signed char n = 0;
    fprintf(stderr, "%%%d%hhn", 3, &n);
    return n;
}
