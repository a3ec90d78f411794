// covers: integers
#include "observe.h"

int main(void)
{
    int a = -7, b = 2;
    unsigned u = 7;
    observe(a / b);
    observe(a % b);
    observe(7 / -b);
    observe(7 % -b);
    observe(u / 2);
    observe((unsigned)a / 2u);
    observe(-9223372036854775807L / 10);
    observe_end();
    return 0;
}
