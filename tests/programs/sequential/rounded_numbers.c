// covers: library-values
#include <errno.h>
#include <math.h>
#include "observe.h"

static const double numbers[] = {0.0, -0.0, 0.3, -0.5, 0.5, 1.5, -2.5, 2.7, -3.2, 16.0, 2.0, 1e15, -4503599627370497.5, 1e300};

int main(void)
{
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double x = numbers[i];
        observe(floor(x) == x);
        observe((long)fmod(floor(x), 1e6) + (long)fmod(ceil(x), 1e6) * 10);
        observe((long)fmod(round(x), 1e6) + (long)fmod(rint(x), 1e6) * 10 + (long)fmod(trunc(x), 1e6) * 100);
        observe(signbit(ceil(x)) != 0);
        observe(nearbyint(x) == rint(x) && floorf((float)x) <= (float)x);
        if (fabs(x) < 1e9)
            observe(lround(x) + 10 * lrint(x) + 100 * llround(x));
        observe((long long)(fmod(sqrt(fabs(x)), 1e6) * 1e9));
        observe(fmin(x, 1.0) == x);
        observe(fmax(x, 1.0) + fdim(x, 1.0) == 2 * x - 1.0);
        observe(ldexp(x, 3) == 8 * x && scalbn(x, -1) == x / 2);
    }
    observe(sqrtf(2.25f) == 1.5f && roundf(-0.5f) == -1.0f && fmodf(5.5f, 2.0f) == 1.5f);
    observe((long long)(fmod(1e9 + 0.25, 0.75) * 1e6));
    observe(ldexp(1.0, -1074) > 0 && ldexp(3.0, -1075) == ldexp(1.0, -1073));
    observe(errno);
    observe(isnan(sqrt(-1.0)) != 0);
    observe(errno == EDOM);
    observe(isinf(ldexp(1.0, 2000)) != 0);
    observe(errno == ERANGE);
    observe(fmin(NAN, 2.0) == 2.0 && fmax(3.0, NAN) == 3.0);
    observe_end();
    return 0;
}
