// known gap: SUCCESSFUL
// Whether bytes that belong to no member are equal is not modelled, though these are.
#include <assert.h>
#include <stdatomic.h>

struct tagged { int *pointer; int tag; };
static _Atomic struct tagged object;

int main(void)
{
    struct tagged old = atomic_load(&object), new = {0, 1};
    assert(atomic_compare_exchange_strong(&object, &old, new));
    return 0;
}
