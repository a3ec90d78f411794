// precise: SUCCESSFUL
// precise: FAILED -DSET
// NOTE assuming that variables of the environment have at most 255 bytes
// A variable of the environment may be missing; until it is changed it says the same at each call.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    const char *first = getenv("WORKERS"), *second = getenv("WORKERS");
    assert(first == second);
#ifdef SET
    assert(first);
#endif
    if (first && first[0] == 'x')
        assert(second[0] != 'y');
}
