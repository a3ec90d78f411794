// covers: pointers
#include "observe.h"

static void twice(int *p) { *p *= 2; }
static int local(int n) { twice(&n); return n; }

int main(void)
{
    int n = 4;
    twice(&n);
    observe(n);
    observe(local(3));
    observe_end();
    return 0;
}
