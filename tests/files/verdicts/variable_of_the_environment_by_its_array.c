// precise: INCONCLUSIVE
// A program that gets at the variables themselves may change them behind the back of the functions.
#include <assert.h>
#include <stdlib.h>

extern char **environ;

int main(void) {
    const char *before = getenv("LEVEL");
    environ = 0;
    assert(getenv("LEVEL") == before);
}
