// Counterexamples show values as the source's types have them.
// RUN: sapa check %s --threads 0
// EXIT: 10
// check: (s = -3)
// check: (t.least = -9223372036854775808)
// check: (t.byte = 255)
// check: (local = -7)
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
