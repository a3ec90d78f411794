// precise: FAILED --property pointers
// Who sets a variable reads the text of its value.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *value = malloc(2);
    if (!value) return 0;
    strcpy(value, "x");
    free(value);
    setenv("LEVEL", value, 1);
}
