// covers: floats
#include <math.h>
#include "observe.h"

static void parts(double x)
{
    double whole, rest = modf(x, &whole);
    int power;
    observe((long)(whole * 8));
    observe((long)(rest * 1024));
    observe(__builtin_signbit(rest) != 0);
    observe((long)(frexp(x, &power) * 4096));
    observe(power);
}

int main(void)
{
    volatile float whole = 1e30f;
    float part;
    parts(12.75);
    parts(-2.5);
    parts(-0.25);
    parts(-3.0);
    parts(2.2250738585072014e-308 / 1024);
    observe(fpclassify(2.2250738585072014e-308 / 1024) == FP_SUBNORMAL && fpclassify(1.0f) == FP_NORMAL && fpclassify(-0.0) == FP_ZERO);
    observe(fpclassify(1e308 * whole) == FP_INFINITE && fpclassify(__builtin_nanf("")) == FP_NAN);
    observe((long)copysign(2.0, -0.0) * 10 + (signbit(-1.0f) != 0));
    observe((long)(modff(-7.125f, &part) * 8) * 100 + (long)part);
    observe_end();
    return 0;
}
