// covers: pointers
#include "observe.h"

int main(void)
{
    int x = 5;
    unsigned long u = (unsigned long)&x;
    int *p = (int *)u;
    *p = 6;
    observe(x);
    observe((int *)0 == 0);
    observe(((unsigned long)&x & 3) == 0);
    observe_end();
    return 0;
}
