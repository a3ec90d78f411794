// covers: sizeof
#include "observe.h"

int main(void)
{
    int a[10];
    char *s = "four";
    struct { char c; long l; } t;
    int x = 1;
    observe(sizeof a / sizeof *a);
    observe(sizeof s);
    observe(sizeof "four");
    observe(sizeof t);
    observe(sizeof(x++));
    observe(x);
    observe(_Alignof(long) + __alignof__(x));
    observe_end();
    return 0;
}
