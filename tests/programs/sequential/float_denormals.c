// covers: floats
#include "observe.h"

int main(void)
{
    float tiny = 1e-45f;
    double small = 4.9e-324;
    observe(tiny > 0);
    observe(tiny / 2 == 0);
    observe(tiny * 3 > tiny * 2);
    observe(small + small == 2 * small);
    observe(small * 0.5 == 0);
    observe(1.17549435e-38f / 2 > 0);
    observe((long)(1e-310 * 1e308 * 1e6));
    observe_end();
    return 0;
}
