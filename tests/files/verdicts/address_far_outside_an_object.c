// known gap: FAILED --threads 0
// The address is outside of its object and of all others, but nothing is accessed there; no verdict
// rests on the runs that end at it.
#include <assert.h>

int array[4];
long far = 1L << 60;

int main(void) {
    long i = far;
    int *end = &array[i];
    assert(0);
}
