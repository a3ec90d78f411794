// precise: SUCCESSFUL --property pointers
// precise: FAILED --property pointers -DBROKEN
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int fallback;

int main(void) {
    int *chosen = &fallback;
    if (__VERIFIER_nondet_int())
        chosen = malloc(sizeof *chosen);
    *chosen = 1;
#ifndef BROKEN
    if (chosen != &fallback)
#endif
        free(chosen);
    return 0;
}
