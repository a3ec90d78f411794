// covers: goto
#include "observe.h"

int main(void)
{
    int i = 0, sum = 0;
    again:
    sum += i;
    if (++i < 5)
        goto again;
    if (sum == 10)
        goto out;
    sum = -1;
    out:
    observe(sum);
    observe_end();
    return 0;
}
