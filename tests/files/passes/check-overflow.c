// RUN: cd %d && sapa-cc check-overflow.c | sapa-opt --verify-each -p 'mem2reg,check-overflow'
// Signed arithmetic, with constants and without; what is unsigned, narrower than int or atomic does not overflow.
#include <stdatomic.h>
atomic_int shared;

int all(int a, int b, unsigned c, short s) {
    s = s + 1;
    c = c * c;
    atomic_fetch_add(&shared, a);
    return a + 1 + (a - 5) + (3 - a) - b + a * b + s + (int)c;
}

int main(void) { return all(1, 2, 3, 4); }
