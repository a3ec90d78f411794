// covers: initialisers
#include "observe.h"

struct s { int a, b; int c[2]; };

int main(void)
{
    int a[6] = { [2] = 5, 6, [0] = 1 };
    struct s t = { .c = { [1] = 4 }, .a = 9 };
    int r[] = { [0 ... 3] = 2, 7 };
    for (int i = 0; i < 6; i++)
        observe(a[i]);
    observe(t.a * 100 + t.b * 10 + t.c[1]);
    observe(r[3] + r[4]);
    observe(sizeof r / sizeof *r);
    observe_end();
    return 0;
}
