// covers: floats
#include "observe.h"

int main(void)
{
    double d = 0.1, e = 0.2;
    float f = 1.5f, g = -2.25f;
    observe(d + e == 0.3);
    observe((long)((d + e) * 1e17));
    observe((int)(f * g * 100));
    observe((int)(f / g * 1000));
    observe((int)((f - g) * 8));
    observe(-g > f);
    observe((long)(1.0 / 3.0 * 1e15));
    observe_end();
    return 0;
}
