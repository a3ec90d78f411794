// covers: initialisers
/* After a designator, initialisation goes on in the object that it names; a
   later initialiser overrides an earlier one; braces may be left out. */
#include "observe.h"

struct pair { int x, y; };
struct inner { int b, c; };
struct nested { int a; struct inner s[2]; int d; };
struct anonymous { int x; struct { int a, c; }; union { int u; char v; }; int b; };
struct text { char n[3]; int k; };
struct outer { struct pair p; int k; };
union either { int i; short s[2]; struct pair p; };

/* 1: after a nested designator */
struct { int a[3]; int z; } g1 = { .a[1] = 7, 8 };
struct { int a[3]; struct { char c; int b; } s[2]; int z; } g2 = { .s[1].b = 4, 5, .a[1] = 7, 8 };
struct nested g3 = { 1, .s[0].c = 2, 3, 4, 5 };
int g4[2][3] = { [0][1] = 5, 6, 7 };
int g5[2][2][2] = { [0][1][1] = 1, 2, [1][0][1] = 3, 4 };
struct anonymous g6 = { .a = 3, 4, 5, 6 };
struct anonymous g7 = { .v = 3, 4 };
struct { int a[3]; int z; } g8 = { .z = 5, .a[1] = 7, 8, 9 };

/* 2: overriding */
struct outer g9 = { .p.x = 9, .p = { .y = 4 } };
struct outer g10 = { .p = { 3, 4 }, .p.x = 9, 5 };
int g11[2][2] = { [0] = { 1, 2 }, [0] = { 3 } };
int g12[4] = { [0 ... 3] = 5, [1] = 6, 7 };
struct text g13 = { .n = "ab", .n[1] = 'x', .k = 3 };
struct text g14 = { .n[2] = 'z', .n = "q" };

/* 3: unions */
union either g15 = { 1, .p.y = 2, .p.x = 3 };
union either g16 = { .p = { 3, 4 }, .i = 5 };
union either g17[2] = { [1].s[1] = 6, [0] = 7 };
struct { union either e; int k; } g18 = { .e.s[0] = 1, 2, 3 };
struct { union either e; int k; } g19 = { 1, 2 };

/* 4: strings without braces */
struct text g20[2] = { "ab", 1, "cd", 2 };
struct { char n[2][3]; int k; } g21 = { "ab", "cd", 5 };
struct { char n[2][3]; int k; } g22 = { { "ab", { 'c' } }, 5 };
char g23[][4] = { "abc", [2] = "de", { "f" } };
struct text g24[2] = { [1].n = "xy", 4 };

/* 5: aggregates that are designated without braces */
struct pair g25[3] = { [1] = 7, 8, 9 };
int g26[3][2] = { [1] = 7, 8, 9 };
struct pair g27[4] = { [0 ... 2].x = 7, 8, 9 };
int g28[3][4] = { [0 ... 1][1 ... 2] = 3, 4, 5 };
struct pair g29[] = { { 1 }, {} };
int g30[] = { [2] = 1, 2, [0] = 3 };

static void observe_globals(void)
{
    observe(g1.a[0] * 1000 + g1.a[1] * 100 + g1.a[2] * 10 + g1.z);
    observe(g2.z * 1000 + g2.a[1] * 100 + g2.a[2] * 10 + g2.s[1].b);
    observe(g3.a * 10000 + g3.s[0].c * 1000 + g3.s[1].b * 100 + g3.s[1].c * 10 + g3.d);
    observe(g4[0][0] * 1000 + g4[0][1] * 100 + g4[0][2] * 10 + g4[1][0]);
    observe(g5[0][1][1] * 1000 + g5[1][0][0] * 100 + g5[1][0][1] * 10 + g5[1][1][0]);
    observe(g6.x * 10000 + g6.a * 1000 + g6.c * 100 + g6.u * 10 + g6.b);
    observe(g7.v * 10 + g7.b);
    observe(g8.z * 100 + g8.a[1] * 10 + g8.a[2]);
    observe(g9.p.x * 10 + g9.p.y);
    observe(g10.p.x * 100 + g10.p.y * 10 + g10.k);
    observe(g11[0][0] * 10 + g11[0][1]);
    observe(g12[0] * 1000 + g12[1] * 100 + g12[2] * 10 + g12[3]);
    observe(g13.n[0] * 10000 + g13.n[1] * 10 + g13.k);
    observe(g14.n[0] * 1000 + g14.n[2]);
    observe(g15.p.x * 10 + g15.p.y);
    observe(g16.i);
    observe(g17[1].s[1] * 10 + g17[0].i);
    observe(g18.e.s[0] * 100 + g18.e.s[1] * 10 + g18.k);
    observe(g19.e.i * 10 + g19.k);
    observe(g20[0].n[1] * 10000 + g20[1].n[0] * 100 + g20[0].k * 10 + g20[1].k);
    observe(g21.n[0][1] * 10000 + g21.n[1][0] * 10 + g21.k);
    observe(g22.n[0][1] * 10000 + g22.n[1][0] * 10 + g22.k);
    observe(sizeof g23 * 1000000 + g23[0][2] * 10000 + g23[2][1] * 100 + g23[3][0]);
    observe(g24[1].n[1] * 10 + g24[1].k);
    observe(g25[1].x * 100 + g25[1].y * 10 + g25[2].x);
    observe(g26[1][0] * 100 + g26[1][1] * 10 + g26[2][0]);
    observe(g27[0].x * 1000 + g27[0].y * 100 + g27[2].y * 10 + g27[3].x);
    for (int i = 0; i < 3; i++)
        observe(g28[i][0] * 1000 + g28[i][1] * 100 + g28[i][2] * 10 + g28[i][3]);
    observe(sizeof g29);
    observe(sizeof g30 + g30[0] * 100 + g30[3] * 10);
}

static void observe_locals(void)
{
    struct pair i = { 1, 2 }, j = { 3, 4 };
    struct { struct pair a[2]; int k; } w = { i, j, 5 };
    observe(w.a[0].x * 10000 + w.a[0].y * 1000 + w.a[1].x * 100 + w.a[1].y * 10 + w.k);
    struct { int a[3]; int z; } l1 = { .z = 5, .a[1] = 7, 8 };
    observe(l1.z * 100 + l1.a[1] * 10 + l1.a[2]);
    struct nested l3 = { 1, .s[0].c = 2, 3, 4, 5 };
    observe(l3.a * 10000 + l3.s[0].c * 1000 + l3.s[1].b * 100 + l3.s[1].c * 10 + l3.d);
    struct outer l9 = { .p.x = 9, .p = { .y = 4 } };
    observe(l9.p.x * 10 + l9.p.y);
    struct outer l10 = { .p.x = 9, .p = j, 7 };
    observe(l10.p.x * 100 + l10.p.y * 10 + l10.k);
    union either l15 = { 1, .p.y = 2, .p.x = 3 };
    observe(l15.p.x * 10 + l15.p.y);
    struct text l20[2] = { "ab", 1, "cd", 2 };
    observe(l20[0].n[1] * 10000 + l20[1].n[0] * 100 + l20[0].k * 10 + l20[1].k);
    struct { char n[2][3]; int k; } l21 = { "ab", "cd", 5 };
    observe(l21.n[0][1] * 10000 + l21.n[1][0] * 10 + l21.k);
    struct pair l25[3] = { [1] = 7, 8, 9 };
    observe(l25[0].x * 1000 + l25[1].x * 100 + l25[1].y * 10 + l25[2].x);
    struct anonymous l6 = { .a = 3, 4, 5, 6 };
    observe(l6.x * 10000 + l6.a * 1000 + l6.c * 100 + l6.u * 10 + l6.b);
    struct text l13 = { .n = "ab", .n[1] = 'x', .k = 3 };
    observe(l13.n[0] * 10000 + l13.n[1] * 10 + l13.k);
    int l28[3][4] = { [0 ... 1][1 ... 2] = 3, 4, 5 };
    for (int n = 0; n < 3; n++)
        observe(l28[n][0] * 1000 + l28[n][1] * 100 + l28[n][2] * 10 + l28[n][3]);
}

int main(void)
{
    observe_globals();
    observe_locals();
    observe_end();
    return 0;
}
