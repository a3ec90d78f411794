// covers: operators
#include "observe.h"

int main(void)
{
    int a = 1, b = 2, c = 3;
    observe(a < b < c);
    observe(c > b > a);
    observe((a == b) == 0);
    observe(!(a != b));
    observe(a <= b && b <= c && c >= b);
    observe_end();
    return 0;
}
