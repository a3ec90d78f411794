// precise: SUCCESSFUL --property pointers,leaks
// precise: FAILED --property pointers -DBROKEN
// What functions of the library access is checked where they are called.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(6);
    strcpy(text, "hello");
#ifdef BROKEN
    strcat(text, "!");
#endif
    char last = text[4];
    free(text);
    return last;
}
