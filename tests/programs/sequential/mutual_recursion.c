// covers: recursion
#include "observe.h"

static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }

int main(void)
{
    observe(even(10));
    observe(odd(7));
    observe(even(3));
    observe_end();
    return 0;
}
