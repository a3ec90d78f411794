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

static int narrow(f, c, b)
    float f;
    signed char c;
    _Bool b;
{
    return (f == 0.1f) * 100 + c * 10 + b;
}

int main()
{
    int x = 7;
    int (*through)() = narrow;
    observe(narrow(0.1, 259, 1));
    observe(through(0.1f, 259, 0));
    observe((**&through)(0.1, 'a', 1));
    observe(add(2, 3));
    observe(mix(1, 2, &x));
    observe_end();
    return 0;
}
