// covers: static-locals
#include "observe.h"

static int next(void) { static int n = 5; return n++; }
static int other(void) { static int n; n += 2; return n; }

int main(void)
{
    observe(next());
    observe(next());
    observe(other());
    observe(next());
    observe_end();
    return 0;
}
