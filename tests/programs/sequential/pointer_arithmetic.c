// covers: pointer-arithmetic
#include "observe.h"

int main(void)
{
    int a[5] = { 1, 2, 3, 4, 5 };
    int *p = a + 1, *q = &a[4];
    char *c = (char *)a;
    observe(*(p + 2));
    observe(p[-1]);
    observe(q - p);
    observe(p < q);
    p += 2;
    observe(*p);
    observe(*(2 + a));
    observe(2[a]);
    observe(c + 4 == (char *)&a[1]);
    observe((long)q - (long)p);
    observe_end();
    return 0;
}
