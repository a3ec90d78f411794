// precise: FAILED --property bounds
// A variable of the environment may be longer than the array that it is copied to.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char home[16];
    const char *found = getenv("HOME");
    if (found)
        strcpy(home, found);
    return home[0] == '/';
}
