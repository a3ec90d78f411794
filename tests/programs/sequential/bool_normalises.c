// covers: bool
#include "observe.h"

int main(void)
{
    _Bool b = 256;
    _Bool c = 0.0;
    _Bool d = (_Bool)(void *)0;
    int n = 7;
    b += 3;
    observe(b);
    observe(c);
    observe(d);
    observe((_Bool)n + 1);
    observe(!b);
    observe(sizeof(_Bool));
    observe_end();
    return 0;
}
