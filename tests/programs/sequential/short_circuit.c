// covers: operators
#include "observe.h"

int main(void)
{
    int x = 0, y = 5;
    observe(x && (y = 9));
    observe(y);
    observe(x || (y = 2));
    observe(y);
    observe(!x && y > 1);
    observe((x || 0) + (1 && 2));
    observe_end();
    return 0;
}
