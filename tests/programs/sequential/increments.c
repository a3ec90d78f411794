// covers: operators
#include "observe.h"

int main(void)
{
    int x = 3, a[3] = { 1, 2, 3 };
    int *p = a;
    observe(x++ + 1);
    observe(++x);
    observe(x-- - 1);
    observe(--x);
    observe(*p++);
    observe(*++p);
    observe((*p)--);
    observe(a[2]);
    observe_end();
    return 0;
}
