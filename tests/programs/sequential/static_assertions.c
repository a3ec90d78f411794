// covers: static-assert
#include "observe.h"

_Static_assert(sizeof(long) == 8, "long");
struct s { int x; _Static_assert(1, "one"); };

int main(void)
{
    _Static_assert(sizeof(int) == 4, "int");
    observe(1);
    observe_end();
    return 0;
}
