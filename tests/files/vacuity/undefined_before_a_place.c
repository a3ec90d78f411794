// No run comes to a place behind a division by zero or an access outside all objects, also where the passes fold the
// constant condition, and the verdict says so.
// RUN: sapa check %s --threads 0
// RUN: sapa check %s --threads 0 -DPOINTER
#include <assert.h>

int zero, *nowhere;

int main(void) {
#ifdef POINTER
    int *place = zero ? &zero : nowhere;
    int read = *place;
#else
    int copy = zero, divisor;
    if (copy == 0)
        divisor = 0;
    else
        divisor = 1;
    int read = 7 / divisor;
#endif
    assert(0);
}
// check: 0 of 1 assertion can be reached
// nextln: VERIFICATION SUCCESSFUL
// check: 0 of 1 assertion can be reached
// nextln: VERIFICATION SUCCESSFUL
