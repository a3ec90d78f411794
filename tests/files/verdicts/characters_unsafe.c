// precise: FAILED --threads 0
// What is not zero need not be one.
#include <ctype.h>

int main(void) {
    __CPROVER_assert(isdigit('7') == 1, "true is one");
}
