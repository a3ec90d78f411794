// covers: struct-values
#include "observe.h"

struct pair { int x, y; };
static struct pair make(int x, int y) { struct pair p = { x, y }; return p; }
static struct pair swap(struct pair p) { int t = p.x; p.x = p.y; p.y = t; return p; }
static int sum(struct pair p) { return p.x + p.y; }
static void change(struct pair p) { p.x = 99; }

int main(void)
{
    struct pair a = { 1, 2 }, b;
    b = swap(a);
    observe(b.x * 10 + b.y);
    observe(sum(b));
    observe(sum(swap(make(7, 8))));
    observe(make(4, 5).y);
    change(a);
    observe(a.x);
    observe_end();
    return 0;
}
