// covers: integers
#include "observe.h"

int main(void)
{
    unsigned char a = 200, b = 100;
    signed char c = -1;
    observe(a + b);
    observe((unsigned char)(a + b));
    observe(c < a);
    observe(c < 1u);
    observe(-1 < 1u);
    observe(~a);
    observe((short)70000);
    observe_end();
    return 0;
}
