// covers: varargs
// error: '%n' in a call of 'printf' is not supported
#include <stdio.h>

int main(void)
{
    int x;
    printf("abc%n", &x);
    return x;
}
