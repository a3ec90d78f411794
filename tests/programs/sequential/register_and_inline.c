// covers: qualifiers
#include "observe.h"

static inline int square(int x) { return x * x; }
inline __attribute__((always_inline)) static int cube(int x) { return x * square(x); }

int main(void)
{
    register int r = 3;
    observe(square(r));
    observe(cube(2));
    observe_end();
    return 0;
}
