// precise: SUCCESSFUL --threads 0
// C says the sign alone of what comparisons of memory return.
#include <string.h>

int main(void) {
    __CPROVER_assert(strcmp("a", "b") < 0, "less");
    __CPROVER_assert(strncmp("b", "a", 1) > 0, "greater");
    __CPROVER_assert(strncmp("abc", "abd", 2) == 0, "equal so far");
    __CPROVER_assert(strncmp("abc", "abd", 3) < 0, "less");
    __CPROVER_assert(memcmp("\200", "a", 1) > 0, "bytes have no sign");
    __CPROVER_assert(memcmp("a", "a", 2) == 0, "equal");
}
