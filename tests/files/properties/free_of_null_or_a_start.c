// precise: SUCCESSFUL --property pointers
// precise: FAILED --property pointers -DWITHIN
// Null may be freed, also where it is not known which part of an object a pointer is to.
#include <stdlib.h>

int main(void)
{
    char *object = malloc(8);
    char *p = __VERIFIER_nondet_int() ? object : NULL;
    int moved = 0;
    for (int i = 0; i < 2; i++)
        moved += 2;
#ifdef WITHIN
    moved++;
#endif
    if (p)
        p += moved - 4;
    free(p);
    return 0;
}
