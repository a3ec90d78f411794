// Counterexamples show values as the source's types have them.
// RUN: sapa check %s --threads 0
// EXIT: 10
// check: (wrote s = -3)
// check: (wrote t.least = -9223372036854775808)
// check: (wrote t.byte = 255)
// check: (read s = -3, local = -7)
// check: read local = -7, read t.byte = 255, fails
// check: Failed assertion
#include <assert.h>

int s;
struct { long least; unsigned char byte; } t;

int main(void) {
    s = -3;
    t.least = -9223372036854775807L - 1;
    t.byte = 255;
    int local = s - 4;
    assert(local + t.byte == 0);
}
