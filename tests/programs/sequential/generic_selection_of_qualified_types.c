// covers: generic
// The controlling expression is converted as a value; types are compared as C11 6.2.7 says.
#include "observe.h"

typedef int aligned_int __attribute__((aligned(8)));
typedef int row[2];
struct inner { int z; };
struct outer { int m; int a[2]; struct inner i; struct { int anonymous; }; };

static int prototyped(const int x)
{
    return x;
}

int main(void)
{
    int x = 0;
    const int c = 0;
    volatile int v = 0;
    int *const q = &x;
    int a[3];
    const struct outer s = { 1 };
    const row r = { 1 };
    aligned_int y = 0;
    observe(_Generic(x, const int: 1, default: 2));
    observe(_Generic(c, const int: 1, int: 2));
    observe(_Generic(v, int: 1, default: 2));
    observe(_Generic(q, int *: 1, default: 2));
    observe(_Generic(&c, int *: 1, const int *: 2));
    observe(_Generic(&s.m, const int *: 1, int *: 2));
    observe(_Generic(&s.a[0], const int *: 1, int *: 2));
    observe(_Generic(&s.i.z, const int *: 1, int *: 2));
    observe(_Generic(&s.anonymous, const int *: 1, int *: 2));
    observe(_Generic(&(&s)->m, const int *: 1, int *: 2));
    observe(_Generic(r, const int *: 1, int *: 2));
    observe(_Generic(&a, int (*)[]: 1, default: 2));
    observe(_Generic(&a, int (*)[4]: 1, default: 2));
    observe(_Generic(&a, const int (*)[3]: 1, default: 2));
    observe(_Generic(&r, const int (*)[2]: 1, default: 2));
    observe(_Generic(&s.a, const int (*)[2]: 1, default: 2));
    observe(_Generic(&y, int *: 1, default: 2));
    observe(_Generic(prototyped, int (*)(int): 1, default: 2));
    observe(_Generic(prototyped, int (*)(): 1, default: 2));
    observe(_Generic(prototyped, int (*)(char): 1, default: 2));
    observe(_Generic("text", char *: 1, const char *: 2));
    observe(__builtin_types_compatible_p(int[], int[3]));
    observe(__builtin_types_compatible_p(int[4], int[3]));
    observe(__builtin_types_compatible_p(const int[3], int[3]));
    observe(__builtin_types_compatible_p(const int, volatile int));
    observe(__builtin_types_compatible_p(const int *, int *));
    observe(__builtin_types_compatible_p(int (*)(), int (*)(int)));
    observe(__builtin_types_compatible_p(int (*)(), int (*)(char)));
    observe(__builtin_types_compatible_p(int (*)(), int (*)(int, ...)));
    observe(__builtin_types_compatible_p(int (*)(const int), int (*)(int)));
    observe(__builtin_types_compatible_p(aligned_int, int));
    observe_end();
    return 0;
}
