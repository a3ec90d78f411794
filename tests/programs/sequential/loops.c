// covers: loops
#include "observe.h"

int main(void)
{
    int i, sum = 0;
    for (i = 0; i < 10; i++) {
        if (i == 3)
            continue;
        if (i == 8)
            break;
        sum += i;
    }
    observe(sum);
    while (sum > 5)
        sum -= 4;
    observe(sum);
    do
        sum++;
    while (sum < 0);
    observe(sum);
    observe_end();
    return 0;
}
