// covers: qualifiers
#include "observe.h"

int main(void)
{
    volatile int v = 3;
    const int c = 4;
    const int *p = &c;
    int *restrict q = (int *)&v;
    v = v + c;
    observe(v);
    observe(*p + *q);
    observe_end();
    return 0;
}
