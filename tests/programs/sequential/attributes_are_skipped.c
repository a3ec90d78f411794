// covers: attributes
#include "observe.h"

static int f(int x) __attribute__((noinline, const));
static int f(int x) { return x; }

int main(void)
{
    int unused __attribute__((unused)) = 1;
    __extension__ long long l = 2;
    observe(l + f(3));
    switch (l) {
    case 2:
        observe(5);
        __attribute__((fallthrough));
    default:
        observe(6);
    }
    observe_end();
    return 0;
}
