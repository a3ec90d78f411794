// covers: struct-values
#include "observe.h"

struct big { int n; int a[3]; struct { char c; long l; } in; };

struct big one, two;

static int bump(struct big *object)
{
    return ++object->n;
}

/* Its first argument is what was assigned, whoever changes where that came from, and when. */
static int is_assigned(struct big value, int bumped)
{
    return value.n == one.n;
}

static struct big *place(void)
{
    two.n++;
    return &one;
}

int main(void)
{
    struct big a = { 1, { 2, 3, 4 }, { 5, 6 } }, b = a, *p = &a;
    b.in.l = 70;
    a = b;
    observe(p->in.l + p->a[2]);
    *p = (struct big) { .n = 3 };
    observe(a.n + a.a[0] + a.in.l);
    b = *p;
    observe(b.n);
    two.n = 7;
    observe(is_assigned(one = two, bump(&two)));
    observe(two.n);
    *place() = (a = two);
    observe(a.n == one.n);
    a = one = two, b = two;
    observe(a.n + one.n + b.n);
    for (a = b; a.n < 12; a = one) one = (two.n += 2, two);
    observe(a.n);
    observe_end();
    return 0;
}
