// precise: INCONCLUSIVE
// What a variable says after a change is not modelled.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    const char *before = getenv("LEVEL");
    if (setenv("LEVEL", "high", 1) == 0)
        assert(getenv("LEVEL") == before);
}
