// covers: operators
#include "observe.h"

int main(void)
{
    int x = 10;
    char c = 100;
    x += 5; observe(x);
    x -= 3; observe(x);
    x *= 4; observe(x);
    x /= 5; observe(x);
    x %= 4; observe(x);
    x <<= 3; observe(x);
    x >>= 1; observe(x);
    x |= 9; observe(x);
    x &= 12; observe(x);
    x ^= 5; observe(x);
    c += 100; observe(c);
    observe_end();
    return 0;
}
