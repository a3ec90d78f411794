// precise: SUCCESSFUL --property leaks,pointers --allocations may-fail
// precise: FAILED --property leaks --allocations may-fail -DLOST
// A `realloc` that fails leaves the old object, which is lost if its result is stored over the only pointer to it.
#include <stdlib.h>

int main(void) {
    char *buffer = malloc(1);
    if (!buffer)
        return 1;
    buffer[0] = 1;
#ifdef LOST
    buffer = realloc(buffer, 2);
    if (!buffer)
        return 2;
#else
    char *larger = realloc(buffer, 2);
    if (larger)
        buffer = larger;
    if (buffer[0] != 1)
        *(char *)0 = 0;
#endif
    free(buffer);
    return 0;
}
