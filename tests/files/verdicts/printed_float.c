// precise: INCONCLUSIVE --threads 0
// NOTE what `snprintf` prints for `%f` is any text
// The text of a float is not modelled: a failure that needs a certain one is none.
#include <assert.h>
#include <stdio.h>

int main(void) {
    char text[8];
    snprintf(text, sizeof text, "%f", 1.5);
    assert(text[0] == '1');
}
