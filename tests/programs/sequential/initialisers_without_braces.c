// covers: initialisers
#include "observe.h"

struct point { int x, y; };
struct line { struct point from, to; };
static struct line lines[2] = { 1, 2, 3, 4, { { 5, 6 }, { 7, 8 } } };

int main(void)
{
    struct line l = { 1, 2, 3, 4 };
    int m[2][2] = { 1, 2, 3 };
    observe(l.to.y);
    observe(m[1][0] * 10 + m[1][1]);
    observe(lines[1].from.x + lines[1].to.y);
    observe_end();
    return 0;
}
