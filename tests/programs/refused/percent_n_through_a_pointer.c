// covers: varargs
// error: a call through a pointer with a pointer among its variable arguments
#include <stdio.h>

int main(void)
{
    int (*print)(const char *, ...) = printf;
    int n = 0;
    print("abc%n", &n);
    return n;
}
