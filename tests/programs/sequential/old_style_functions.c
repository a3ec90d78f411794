// covers: kr-functions
#include "observe.h"

static int add(a, b)
    int a, b;
{
    return a + b;
}

static long mix(c, s, p)
    char c;
    short s;
    int *p;
{
    return c * 100 + s * 10 + *p;
}

int main()
{
    int x = 7;
    observe(add(2, 3));
    observe(mix(1, 2, &x));
    observe_end();
    return 0;
}
