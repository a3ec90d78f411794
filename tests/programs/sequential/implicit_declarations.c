// covers: implicit
#include "observe.h"

static counter = 6;

int main(void)
{
    observe(later(4));
    observe(counter);
    observe_end();
    return 0;
}

int later(int x)
{
    return x * 2;
}
