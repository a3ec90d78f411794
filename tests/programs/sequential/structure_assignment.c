// covers: struct-values
#include "observe.h"

struct big { int n; int a[3]; struct { char c; long l; } in; };

int main(void)
{
    struct big a = { 1, { 2, 3, 4 }, { 5, 6 } }, b = a, *p = &a;
    b.in.l = 70;
    a = b;
    observe(p->in.l + p->a[2]);
    *p = (struct big) { .n = 3 };
    observe(a.n + a.a[0] + a.in.l);
    b = *p;
    observe(b.n);
    observe_end();
    return 0;
}
