// covers: goto
#include "observe.h"

int main(void)
{
    int x = 0;
    if (x)
        lab: x = 5;
    else
        x = 1;
    observe(x);
    if (x == 1) {
        x = 2;
        goto lab;
    }
    observe_end();
    return 0;
}
