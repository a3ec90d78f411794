// covers: operators
#include "observe.h"

int main(void)
{
    int x, y;
    x = (y = 3, y + 1);
    observe(x);
    for (x = 0, y = 10; x < y; x++, y--)
        ;
    observe(x * 100 + y);
    observe_end();
    return 0;
}
