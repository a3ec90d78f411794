// covers: builtins
#include "observe.h"

int main(void)
{
    int r;
    unsigned u;
    long l;
    unsigned char c;
    observe(__builtin_add_overflow(2147483647, 1, &r));
    observe(r);
    observe(__builtin_sub_overflow(3u, 5u, &u));
    observe(u);
    observe(__builtin_mul_overflow(1L << 40, 1L << 30, &l));
    observe(__builtin_mul_overflow(100000L, 100000L, &l));
    observe(l);
    observe(__builtin_add_overflow(200, 50, &c));
    observe(__builtin_add_overflow(200, 100, &c));
    observe(c);
    observe(__builtin_smul_overflow(65536, 65536, &r));
    observe(__builtin_mul_overflow(~0UL, ~0UL, (unsigned long *)&l));
    observe(__builtin_mul_overflow(~0UL, 2UL, &l));
    unsigned __int128 w;
    __int128 v;
    observe(__builtin_sub_overflow(1u, 2u, &w));
    observe(__builtin_sub_overflow(2u, 1u, &w));
    observe(__builtin_mul_overflow(-1L, 1ul, &w));
    observe(__builtin_mul_overflow(~0UL, ~0UL, &w));
    observe(__builtin_mul_overflow(~0UL, ~0UL, &v));
    observe(__builtin_sub_overflow(0ul, ~0ul, &v));
    observe((long)v);
    observe(__builtin_sub_overflow(0ul, 1ul, &l));
    observe(__builtin_sub_overflow(0ul, ~0ul, &l));
    observe_end();
    return 0;
}
