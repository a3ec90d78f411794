// covers: library-values
#include <stdlib.h>
#include <time.h>
#include "observe.h"

int main(void)
{
    div_t d = div(-7, 2);
    observe(d.quot * 10 + d.rem);
    ldiv_t l = ldiv(9000000000, 7);
    observe(l.quot);
    observe(l.rem);
    observe(lldiv(100, -9).rem);
    observe(div(8, 3).quot);
    observe(difftime(7000000000, 5) == 6999999995.0);
    observe_end();
    return 0;
}
