// covers: floats
#include "observe.h"

double infinity = __builtin_inf();
float minus = -__builtin_huge_valf();

static int all(double x, float y)
{
    int sum = 0;
    sum = sum * 2 + !!__builtin_isnan(x);
    sum = sum * 2 + !!__builtin_isinf(x);
    sum = sum * 2 + !!__builtin_isfinite(x);
    sum = sum * 2 + !!__builtin_isnan(y);
    sum = sum * 2 + !!__builtin_isinf(y);
    sum = sum * 2 + !!__builtin_isfinite(y);
    sum = sum * 2 + __builtin_isgreater(x, y);
    sum = sum * 2 + __builtin_islessequal(x, y);
    sum = sum * 2 + __builtin_isunordered(x, y);
    return sum * 4 + 1 + __builtin_isinf_sign(x);
}

int main(void)
{
    observe(all(1.5, 2));
    observe(all(infinity, minus));
    observe(all(-infinity, 0));
    observe(all(__builtin_nan(""), 1));
    observe(all(1, __builtin_nanf("")));
    observe(__builtin_fabs(-2.5) == 2.5);
    observe(__builtin_fabsf(-0.5f) == 0.5f);
    observe(__builtin_fabs(minus) == infinity);
    observe(_Generic(__builtin_fabsf(1), float: 1, double: 2));
    observe_end();
    return 0;
}
