// covers: floats
#include "observe.h"

static double g = 1.25;
static const float table[2] = { 1, -2.5f };
static struct { double x; } s = { 1.0 / 4 }, *p = (void *)&s;

int main(void)
{
    observe((int)(g * 100));
    observe((int)(table[1] * 10));
    observe(p->x > 0.2);
    g += 1;
    observe((int)g);
    observe(0x1.8p3 == 12.0);
    observe_end();
    return 0;
}
