// covers: initialisers, struct-values, arrays, unions, pointers
#include "observe.h"

struct in { int x; char t[3]; };
struct out { struct in a[2]; union { int i; char c[4]; } u; struct in *p; };
static struct out g = { .a[1].x = 5, .a[0] = { 1, "ab" }, .u.c = { [1] = 2 }, .p = &g.a[1] };
static int m[3][2] = { { 1 }, [2] = { 3, 4 } };
static int (*rows)[2] = m + 1;
static void (*none[2])(void);
static const struct in table[] = { [2] = { 7 }, { 8, { 'x' } } };

static struct out change(struct out o, int n)
{
    o.a[0].x += n;
    if (n > 0)
        return change(o, n - 1);
    o.p = &g.a[0];
    return o;
}

static int sum(int a[3], int n) { return n ? a[n - 1] + sum(a, n - 1) : (int)sizeof a; }
static struct in pick(struct in a, struct in b, int first) { return first ? a : b; }

int main(void)
{
    struct out o = g, *q = &o;
    char s[] = { 'a', [3] = 'd' };
    int v[3] = { 10, 20, 30 };
    int(*pv)[3] = &v;
    observe(g.a[1].x + g.a[0].x);
    observe(g.a[0].t[1]);
    observe(g.u.i);
    observe(g.p->x);
    observe(m[2][1] * 10 + m[0][1]);
    observe(rows[1][0]);
    observe(none[1] == 0);
    observe(sizeof table / sizeof *table);
    observe(table[3].t[0] + table[2].x);
    o = change(o, 3);
    observe(o.a[0].x);
    observe(o.p->x);
    observe(q->a[1].x);
    q->a[0] = q->a[1];
    observe(o.a[0].x);
    observe(sizeof s + s[3]);
    observe(sum(v, 3));
    observe((*pv)[1] + *(*pv + 2));
    observe(pick(o.a[0], g.a[0], 0).x);
    observe(pick(o.a[0], g.a[0], 1).t[0]);
    observe((q ? q->a : g.a)[1].x);
    observe((&o)->u.c[1]);
    observe(((struct in[]) { { 3 }, { 4 } })[1].x);
    for (int i = 0; i < 3; i++) {
        int *fresh = (int[2]) { i };
        fresh[1] += i;
        observe(fresh[0] * 10 + fresh[1]);
    }
    observe(&v[2] - v == 2 && &v[1] > v && (char *)&v[1] - (char *)v == 4);
    observe(*&*&v[1]);
    observe(&*q == q && (void *)q == (void *)&o.a[0].x);
    observe_end();
    return 0;
}
