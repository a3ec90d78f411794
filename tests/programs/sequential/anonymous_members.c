// covers: unions
#include "observe.h"

int main(void)
{
    struct { int tag; union { int i; struct { short lo, hi; }; }; } x = { 1, { 0x00020001 } };
    observe(x.lo);
    observe(x.hi);
    x.i = 5;
    observe(x.lo + x.tag);
    observe_end();
    return 0;
}
