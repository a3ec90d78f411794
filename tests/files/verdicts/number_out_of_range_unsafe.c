// precise: FAILED --threads 0
// A number that does not fit is the largest one, and errno says so.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void) {
    errno = 0;
    long number = strtol("99999999999999999999", 0, 10);
    assert(number > 0);
    assert(!errno);
}
