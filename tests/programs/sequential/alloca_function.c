// covers: vla
#include "observe.h"

int main(void)
{
    int *p = __builtin_alloca(4 * sizeof(int));
    p[3] = 6;
    observe(p[3]);
    observe_end();
    return 0;
}
