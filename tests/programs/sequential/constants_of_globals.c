// covers: initialisers
/* Constants that globals may start with. */
#include "observe.h"

struct s { char c; int k; int b[3]; };

float f1 = 16777216.0f + 1.0f, f2 = 0.1, f3 = 1 / 2, f4 = 1 ? 2 : 1.5f;
double d1 = 0.1f, d2 = 1 / 2.0f, d3 = 'a', d4 = (0 ? 1 : 1.5) / 2;
int i1 = 2.9, i2 = -2.9, i3 = 1.5 + 1.6;
unsigned char c1 = 300, c2 = 65.7;
_Bool b1 = 0.5, b2 = 0.0;
char s1 = 200;
short sh = 0x18000;
unsigned u1 = -1;
long l1 = (unsigned)-1;
int x[5] = { 10, 11, 12, 13, 14 };
int *p1 = x + 2, *p2 = &x[4] - 1, *p3 = 1 + x, *p4 = 1 ? 0 : x, *p5 = 0 ? 0 : &x[3];
long n1 = &x[4] - &x[1];
int n2 = (int)(&x[1] - &x[4]) + 1;
unsigned char n3 = &x[1] - &x[4];
int *p6 = &((struct s *)0)->b[0] ? x : 0;
long n4 = (long)&((struct s *)0)->k;
int n5 = (int)(long)&((struct s *)8)->b[1];
void *v1 = (void *)0, *v2 = (void *)-1, *v3 = (char *)x + 4;
int *pp[2] = { x, x + 1 }, **ppp = pp + 1;
char *t1 = "abc" + 1;
int *w1 = L"abc";
enum { E = 3 };
void *v4 = (void *)E;
unsigned __int128 big = (unsigned __int128)-1 / 3;

int main(void)
{
    observe(f1 == 16777216.0f);
    observe((f2 != 0.1) * 10 + (f2 == 0.1f));
    observe((f3 == 0) * 10 + (f4 == 2));
    observe((d1 != 0.1) * 1000 + (d2 == 0.5) * 100 + (d3 == 97) * 10 + (d4 == 0.75));
    observe(i1);
    observe(i2);
    observe(i3);
    observe(c1 * 1000 + c2);
    observe(b1 * 10 + b2);
    observe(s1);
    observe(sh);
    observe(u1);
    observe(l1);
    observe(*p1 * 10000 + *p2 * 100 + *p3);
    observe(p4 == 0);
    observe(*p5);
    observe(n1);
    observe(n2);
    observe(n3);
    observe(*p6);
    observe(n4);
    observe(n5);
    observe((long)v1);
    observe((long)v2);
    observe(*(int *)v3);
    observe(**ppp);
    observe(*t1 * 1000 + w1[2]);
    observe((long)v4);
    observe((long)(big >> 64));
    observe_end();
    return 0;
}
