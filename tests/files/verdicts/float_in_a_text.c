// precise: INCONCLUSIVE --threads 0
// NOTE a floating-point number that `sscanf` converts is any
// Floats in texts are not modelled: a failure that needs a certain one is none.
#include <assert.h>
#include <stdio.h>

int main(void) {
    float number = 0;
    sscanf("1.5", "%f", &number);
    assert(number == 1.5f);
}
