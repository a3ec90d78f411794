// precise: FAILED --threads 2
#include <stdbool.h>
// The address is a choice between two constants, not a sum.
bool flag[2];
int inside;

void entering(int me) {
    flag[me] = true;
    while (flag[!me])
        ;
    inside++;
    __CPROVER_assert(inside == 1, "mutual exclusion");
    inside--;
    flag[me] = false;
}

int main(void) {
    __CPROVER_ASYNC_1: entering(1);
    __CPROVER_ASYNC_2: entering(1);
}
