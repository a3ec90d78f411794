// precise: FAILED --threads 0
// C says the sign alone of what `strcmp` returns.
#include <string.h>

int main(void) {
    int result = strcmp("b", "a");
    __CPROVER_assert(result == 1, "another positive number");
}
