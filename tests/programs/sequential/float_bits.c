// covers: floats
#include "observe.h"

int main(void)
{
    union { float f; unsigned u; } a;
    union { double d; unsigned long u; } b;
    a.f = 1.0f / 3;
    observe(a.u);
    a.f = a.f * a.f - 0.1f;
    observe(a.u);
    b.d = 2.0 / 3 + 1e-17;
    observe(b.u);
    b.d = a.f;
    observe(b.u);
    a.f = b.d * 1e-3;
    observe(a.u);
    a.u = 0x3f800001;
    observe(a.f > 1);
    observe_end();
    return 0;
}
