// precise: FAILED
// An index that is chosen may be the one that a constant names, which has a variable of its own.
#include <assert.h>

int table[100000];

unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned at = __VERIFIER_nondet_uint();
    if (at < 100000)
        table[at] = 1;
    assert(table[7] == 0);
}
