// covers: compound-literals
#include "observe.h"

struct point { int x, y; };
static struct point *global = &(struct point) { 1, 2 };
static int norm(struct point *p) { return p->x * p->x + p->y * p->y; }

int main(void)
{
    struct point p = (struct point) { 3, 4 };
    int *a = (int[]) { 1, 2, 3 };
    observe(p.x * 10 + p.y);
    observe(a[2]);
    observe(norm(&(struct point) { 6, 8 }));
    observe(((struct point) { .y = 5 }).x);
    observe(global->y);
    observe_end();
    return 0;
}
