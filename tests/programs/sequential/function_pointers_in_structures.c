// covers: function-pointers
#include "observe.h"

struct device { int (*read)(struct device *); int n; };
static int first(struct device *d) { return d->n; }
static int second(struct device *d) { return d->n * d->n; }
static struct device devices[2] = { { first, 1 }, { second, 8 } };

int main(void)
{
    struct device d = { first, 5 };
    observe(d.read(&d));
    d.read = second;
    observe(d.read(&d));
    observe(devices[1].read(&devices[0]));
    observe_end();
    return 0;
}
