// covers: initialisers
/* Initialisers of locals, globals, static locals and compound literals. */
#include "observe.h"

struct pair { int x, y; };
struct line { struct pair from, to; };
struct path { int count; struct pair points[3]; const char *name; };
struct bits { unsigned a : 3; signed b : 5; unsigned : 0; unsigned c : 9; };
struct deep { struct { struct { int v[2]; } l2; int m; } l1[2]; int end; };
union number { long l; int i[2]; char c[8]; };
struct tagged { char tag; union { int i; struct pair p; }; struct { short lo, hi; }; };
struct wide { unsigned w[3]; int k; };

struct line g1 = { 1, 2, 3, 4 };
struct line g2 = { { 1 }, { .y = 4 } };
struct path g3 = { 2, { { 1, 2 }, { 3, 4 } }, "ab" };
struct path g4 = { .points[1] = { 5, 6 }, 7, 8, "cd", .count = 9 };
struct path g5 = { 1, 2, 3, 4, .name = "ef" };
struct bits g6 = { 5, -3, 300 };
struct bits g7 = { .c = 511, .a = 9 - 2, -16 };
struct deep g8 = { .l1[1].l2.v[0] = 3, 4, 5, 6 };
struct deep g9 = { { { { { 1, 2 } }, 3 }, { .m = 4 } }, 5 };
struct deep g10 = { .l1[0].l2 = { .v[1] = 7 }, 8, 9 };
union number g11[3] = { 1, { .i = { 2, 3 } }, [2].c[1] = 1, 2 };
struct tagged g12 = { 'a', .p = { 1, 2 }, 3, 4 };
struct tagged g13[2] = { 'a', 1, 2, 3, 'b', { .p.y = 4 }, { 5 } };
int g14[2][3][2] = { { { 1 }, 2, 3, { 4 } }, [1][2] = { 5, 6 } };
int g15[][2] = { 1, 2, 3, [3] = 4, 5, 6 };
char g16[] = { "braced" }, g17[4] = "full", g18[6] = { 'a', [3] = 'd' };
const char *g19[] = { [2] = "two", [0] = "zero" };
struct pair *g20 = (struct pair[]){ { 1, 2 }, [2] = 3, 4 };
int *g21 = &(int[4]){ [1] = 5, 6 }[2];
struct wide g22[2] = { 1, 2, 3, 4, [0].k = 5, { { 6 } } };
unsigned short g23[4] = u"ab";
int g24[2][3] = { L"ab", { L"c" } };
int g25[6] = { [1 ... 4] = 2, [2 ... 3] = 7 };
struct pair g26[4] = { [0 ... 3] = { 1, 2 }, [1].y = 5, [2] = { .y = 6 } };

static int counter;
static int next(void)
{
    return ++counter;
}

static struct pair make(int x)
{
    return (struct pair){ .y = x, .x = x + 1 };
}

static int sum(struct line l)
{
    return l.from.x * 1000 + l.from.y * 100 + l.to.x * 10 + l.to.y;
}

static int statics(void)
{
    static struct path p = { .points[1].y = 3, 4, .name = "gh" };
    static int calls[] = { [1] = 10, 20 };
    static const union number u = { .c = { [4] = 1 } };
    calls[0]++;
    p.points[2].x += calls[0];
    return p.points[1].y * 10000 + p.points[2].x * 1000 + calls[2] * 10 + calls[0] + u.i[1];
}

int main(void)
{
    observe(sum(g1));
    observe(sum(g2));
    observe(g3.count * 1000 + g3.points[1].x * 100 + g3.points[2].x * 10 + (g3.name[1] == 'b'));
    observe(g4.count * 10000 + g4.points[1].x * 1000 + g4.points[1].y * 100 + g4.points[2].x * 10
        + g4.points[2].y);
    observe(g4.name[0]);
    observe(g5.points[0].x * 1000 + g5.points[0].y * 100 + g5.points[1].x * 10 + g5.points[1].y);
    observe(g6.a * 10000 + g6.b * 1000 + g6.c);
    observe(g7.a * 10000 + g7.b * 1000 + g7.c);
    observe(g8.l1[1].l2.v[0] * 1000 + g8.l1[1].l2.v[1] * 100 + g8.l1[1].m * 10 + g8.end);
    observe(g9.l1[0].l2.v[1] * 1000 + g9.l1[0].m * 100 + g9.l1[1].m * 10 + g9.end);
    observe(g10.l1[0].l2.v[1] * 100 + g10.l1[0].m * 10 + g10.l1[1].l2.v[0]);
    observe(g11[0].l * 100000 + g11[1].i[0] * 10000 + g11[1].i[1] * 1000 + g11[2].i[0]);
    observe(g12.tag * 10000 + g12.p.x * 1000 + g12.p.y * 100 + g12.lo * 10 + g12.hi);
    observe(g13[0].i * 100 + g13[0].lo * 10 + g13[0].hi);
    observe(g13[1].tag * 1000 + g13[1].p.x * 100 + g13[1].p.y * 10 + g13[1].lo);
    observe(g14[0][0][0] * 10000 + g14[0][1][0] * 1000 + g14[0][1][1] * 100 + g14[0][2][0] * 10);
    observe(g14[1][2][0] * 10 + g14[1][2][1]);
    observe(sizeof g15 * 1000 + g15[1][0] * 100 + g15[3][1] * 10 + g15[4][0]);
    observe(sizeof g16 * 1000 + g17[3]);
    observe(g18[0] * 1000 + g18[3] + g18[4]);
    observe(sizeof g19 * 1000 + g19[2][1] + (g19[1] == 0));
    observe(g20[0].y * 1000 + g20[1].x * 100 + g20[2].x * 10 + g20[2].y);
    observe(*g21 * 10 + g21[-1]);
    observe(g22[0].w[2] * 1000 + g22[0].k * 100 + g22[1].w[0] * 10 + g22[1].k);
    observe(g23[1] * 1000 + g23[2] + g24[0][1] + g24[1][0]);
    observe(g25[0] * 10000 + g25[1] * 1000 + g25[2] * 100 + g25[3] * 10 + g25[4]);
    observe(g26[0].y * 10000 + g26[1].x * 1000 + g26[1].y * 100 + g26[2].x * 10 + g26[2].y);

    struct line l1 = { make(1), make(3) };
    observe(sum(l1));
    struct line l2 = { make(1), 5, 6 };
    observe(sum(l2));
    struct line l3 = { .to = l1.from, .from.y = 7 };
    observe(sum(l3));
    struct line l4[2] = { l1, [1].to = make(4), };
    observe(sum(l4[0]) * 10 + l4[1].to.x);
    /* elements are evaluated in the order of their places; what is overridden is not */
    int l5[3] = { [2] = next(), [0] = next(), next() };
    observe(l5[0] * 100 + l5[1] * 10 + l5[2]);
    int l6[2] = { [0] = next(), [0] = next() };
    observe(counter * 10 + (l6[0] == counter));
    struct path l7 = { 1, { [1] = make(2), 8 }, "ij" };
    observe(l7.points[1].x * 1000 + l7.points[1].y * 100 + l7.points[2].x * 10 + l7.points[2].y);
    struct bits l8 = { .c = 500, .a = counter, -1 };
    observe(l8.a * 10000 + l8.b * 1000 + l8.c);
    struct deep l9 = { .l1[1].l2.v[0] = counter, 4, 5, 6 };
    observe(l9.l1[1].l2.v[0] * 1000 + l9.l1[1].l2.v[1] * 100 + l9.l1[1].m * 10 + l9.end);
    union number l10 = { .c[2] = 1, .i = { counter } };
    observe(l10.i[0]);
    struct tagged l11 = { 'a', .p = make(2), 3, 4 };
    observe(l11.p.x * 1000 + l11.p.y * 100 + l11.lo * 10 + l11.hi);
    char l12[2][4] = { "abc", { 'd', 'e' } }, l13[] = "x" "yz";
    observe(l12[0][2] * 10000 + l12[1][1] * 10 + sizeof l13);
    int l14[][2] = { counter, 2, 3 };
    observe(sizeof l14 * 100 + l14[1][0] * 10 + l14[1][1]);
    int l15 = { 3 }, l16[2] = { { 4 }, 5 };
    observe(l15 * 100 + l16[0] * 10 + l16[1]);
    struct wide l17 = { { [2] = counter }, .w[0] = 6, .w[1] = 7 };
    observe(l17.w[0] * 100 + l17.w[1] * 10 + l17.w[2]);

    observe(sum((struct line){ .to.x = 1, 2 }));
    observe(sum((struct line){ { .y = counter }, make(1) }));
    observe(((int[]){ 1, [4] = counter, 3 })[4] + sizeof(int[]){ 1, [4] = 2, 3 });
    observe((&(struct path){ .points[2] = 1, 2, .count = 3 })->points[2].y);
    observe((&(struct path){ .points[1] = make(1), 4 })->points[2].x);
    observe(((union number){ .i[1] = 1 }).l >> 32);
    observe(statics());
    observe(statics());
    observe_end();
    return 0;
}
