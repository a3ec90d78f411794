// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DSTRADDLE
// precise: FAILED --property bounds -DINDEX
// precise: FAILED --property bounds -DOTHER
// precise: FAILED --property bounds -DPOINTER
// precise: FAILED --property bounds -DMEMBER
// What is accessed may be larger than an element: all of it has to be in the array. What is larger than the array is
// an access to what is around it.
#include <stdint.h>
int __VERIFIER_nondet_int(void);
struct {
    char a[4];
    char b[8];
    int v[4];
    int n;
} s;
struct {
    struct {
        short x, y;
    } pairs[2];
    short behind, more;
} t;

int main(void) {
    int i = __VERIFIER_nondet_int();
#ifdef INDEX
    if (i < 0 || i > 3)
#else
    if (i < 0 || i > 2)
#endif
        return 0;
    *(uint16_t *)(s.a + i) = 1;
#ifdef STRADDLE
    *(uint32_t *)(s.a + 2) = 5;
#else
    *(uint32_t *)(s.b + 2) = 5;
#endif
    ((short *)s.v)[7] = 1;
#ifdef OTHER
    ((short *)s.v)[8] = 1;
#endif
    int *p = (int *)s.b;
    p[1] = 1;
#ifdef POINTER
    p[2] = 1;
#endif
    *(uint32_t *)&t.pairs[1].x = 1;
#ifdef MEMBER
    *(uint32_t *)&t.pairs[1].y = 1;
#endif
    *(uint64_t *)s.a = 1;
    return 0;
}
