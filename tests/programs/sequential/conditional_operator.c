// covers: operators
#include "observe.h"

int main(void)
{
    int x = 4;
    unsigned char c = 200;
    long l = x > 3 ? -1 : 1u;
    observe(l);
    observe(x ? x : 9);
    observe(x ?: 9);
    observe(0 ?: c);
    observe(x > 5 ? 1 : x > 3 ? 2 : 3);
    observe_end();
    return 0;
}
