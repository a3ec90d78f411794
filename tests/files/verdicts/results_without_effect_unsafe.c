// precise: FAILED --threads 0
// What is printed may not get out.
#include <stdio.h>

int main(void) {
    __CPROVER_assert(putchar('a') == 'a', "an error is possible");
}
