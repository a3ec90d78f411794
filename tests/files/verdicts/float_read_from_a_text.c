// precise: SUCCESSFUL --threads 0 --timeout 60
// precise: INCONCLUSIVE --threads 0 --timeout 60 -DWRITTEN
// The value of a floating-point number in a text is not modelled, unless the text is a literal.
#include <assert.h>
#include <stdlib.h>

char text[] = "1.5";

int main(void) {
#ifdef WRITTEN
    assert(atof(text) == 1.5);
#else
    double number = atof("0.5");
    assert(number == 0.5 && strtod("1e1", NULL) == 10.0);
#endif
}
