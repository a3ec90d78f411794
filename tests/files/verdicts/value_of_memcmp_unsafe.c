// precise: FAILED --threads 0
// C says the sign alone of what `memcmp` returns.
#include <string.h>

int main(void) {
    int result = memcmp("b", "a", 1);
    __CPROVER_assert(result == 1, "another positive number");
}
