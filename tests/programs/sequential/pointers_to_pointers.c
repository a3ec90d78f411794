// covers: pointers
#include "observe.h"

int main(void)
{
    int x = 1, y = 2, *p = &x, **pp = &p;
    **pp = 5;
    observe(x);
    *pp = &y;
    *p = 7;
    observe(y);
    observe(p == &y);
    void *v = pp;
    observe(**(int **)v);
    observe_end();
    return 0;
}
