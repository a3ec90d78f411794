// precise: SUCCESSFUL --property bounds
// precise: FAILED --property pointers
// precise: SUCCESSFUL --property bounds -DENDED
// precise: FAILED --property pointers -DENDED
// precise: FAILED --property bounds -DENDED -DOUTSIDE
// Null pointers and objects that have ended are asked for by `pointers`; such an object still has its bounds.
#include <stdlib.h>
struct node {
    int value;
    struct node *next;
} *list;

int main(void) {
#ifdef ENDED
    int *a = malloc(2 * sizeof *a);
    free(a);
#ifdef OUTSIDE
    return a[2];
#else
    return a[1];
#endif
#else
    return list->value;
#endif
}
