// covers: initialisers
#include "observe.h"

static int main_helper(void) { return 1; }
static int x = 3, *p = &x, table[4] = { 1, 2, 3, 4 };
static int *q = table + 2, *r = &table[3], *end = &table[4];
static int (*f)(void) = main_helper;
static struct { struct { int *p; } in; const char *text; } s = { { &table[1] }, "hey" };

int main(void)
{
    observe(*p);
    observe(q[0]);
    observe(*r);
    observe(f == main_helper ? 1 : 0);
    observe(s.in.p[1]);
    observe(s.text[1]);
    observe(end - table);
    observe_end();
    return 0;
}
