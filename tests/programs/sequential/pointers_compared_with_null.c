// covers: pointers
#include "observe.h"

#define NULL ((void *)0)

int main(void)
{
    int x = 0, *p = 0, *q = &x;
    observe(p == NULL);
    observe(!q);
    observe(p || q);
    p = q;
    observe(p != 0 && *p == 0);
    observe((p ? 1 : 2));
    observe_end();
    return 0;
}
