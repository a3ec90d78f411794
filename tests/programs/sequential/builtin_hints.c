// covers: builtins
#include <stdlib.h>
#include "observe.h"

int main(void)
{
    int x = 3;
    if (__builtin_expect(x == 3, 1))
        observe(1);
    __builtin_prefetch(&x);
    observe(*(int *)__builtin_assume_aligned(&x, 4));
    observe(__builtin_constant_p(5));
    observe(abs(-4) + labs(-5L));
    switch (x) {
    case 3:
        observe(2);
        break;
    default:
        __builtin_unreachable();
    }
    observe_end();
    return 0;
}
