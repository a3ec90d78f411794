// covers: floats
#include "observe.h"

int main(void)
{
    double zero = 0.0, inf = 1.0 / zero, nan = inf - inf;
    observe(nan == nan);
    observe(nan != nan);
    observe(inf > 1e308);
    observe(-inf < inf);
    observe(-zero == zero);
    observe(1.0 / -zero < 0);
    observe(nan < 1 || nan > 1);
    observe(!nan);
    observe(1e308 * 10 == inf);
    observe((float)1e-46 == 0);
    observe((float)1e39 > 1e38);
    observe_end();
    return 0;
}
