// covers: missing-return
#include "observe.h"

static int noisy(int x) { if (x > 5) return 1; }
static int value(int x) { if (x) return x; }

int main(void)
{
    int x = 3;
    noisy(1);
    observe(x);
    observe(value(2));
    observe_end();
    return 0;
}
