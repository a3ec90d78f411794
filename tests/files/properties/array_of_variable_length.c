// precise: FAILED --property pointers
// precise: FAILED --property pointers -DFREE
// precise: SUCCESSFUL --property pointers,leaks -DINSIDE
// An array of variable length ends with its call: it is no leak, nor is it to be freed.
#include <stdlib.h>
char *kept, other;

int use(int n) {
    char array[n];
    array[0] = 1;
#if defined FREE
    free(array);
#elif defined INSIDE
    kept = &other;
#else
    kept = array;
#endif
    return array[0];
}

int main(void) {
    use(3);
    return kept ? *kept : 0;
}
