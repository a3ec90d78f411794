// covers: varargs
// error: a call of 'printf' with a pointer and a format that is not known
#include <stdio.h>

int main(void)
{
    const char *format = "abc%n";
    int n = 0;
    printf(format, &n);
    return n;
}
