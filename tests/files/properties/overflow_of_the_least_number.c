// precise: FAILED --property overflow
// precise: SUCCESSFUL --property overflow -DSAFE
// precise: SUCCESSFUL --property overflow -DATOMIC
// The least number has no absolute value. Atomic updates wrap.
#include <stdatomic.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
atomic_int counter = 2147483647;

int main(void) {
    int x = __VERIFIER_nondet_int();
#ifdef ATOMIC
    counter++;
    counter += 5;
    return 0;
#endif
#ifdef SAFE
    if (x < -100)
        return 0;
#endif
    return abs(x);
}
