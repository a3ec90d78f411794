// covers: typeof, generic
/* Types that sizeof, typeof and _Generic see, and arithmetic that depends on them. */
#include "observe.h"

#define KIND(x) _Generic((x), char: 1, signed char: 2, unsigned char: 3, int: 4, unsigned: 5, \
    long: 6, unsigned long: 7, unsigned short: 8, double: 9, void *: 10, int *: 11, char *: 12, default: 13)

long wide = 0x100000005L;
int *pointer;
int array[4];
int condition;

int main(void)
{
    /* literals */
    observe(sizeof(L"abc") * 100 + sizeof(u"ab") * 10 + sizeof(U"a"));
    observe(sizeof(u'a') * 10 + sizeof(L'a'));
    observe(KIND(u'a') * 100 + KIND(U'a') * 10 + KIND('a'));
    observe(U'\xffffffff' > 0);
    __typeof__(L"ab"[0]) c = 300;
    observe(c);
    observe(KIND("a") * 1000 + KIND(L"a") * 10 + KIND(*"a"));

    /* char is a type of its own */
    observe(KIND((signed char)1) * 10 + KIND((char)1));
    observe(__builtin_types_compatible_p(char, signed char));
    observe(__builtin_types_compatible_p(char *, signed char *));
    observe(__builtin_types_compatible_p(long, signed long int));
    observe(KIND((char)1 + (char)1));

    /* calls of builtin functions */
    __typeof__(__sync_fetch_and_add(&wide, 0)) v = __sync_fetch_and_add(&wide, 0);
    observe(v);
    unsigned long one = 1;
    __auto_type swapped = __builtin_bswap64(one);
    observe(swapped == 0x100000000000000UL);
    observe(sizeof(__builtin_bswap64(one)) * 10 + sizeof(__builtin_bswap32(1)));
    observe(KIND(__builtin_bswap32(1)) * 100 + KIND(__builtin_bswap64(1)));
    observe(__builtin_bswap16(0x1234) << 8);
    observe(sizeof(__builtin_labs(1)) * 10 + sizeof(__builtin_popcountll(1)));
    observe(sizeof(__atomic_load_n(&wide, 5)));
    observe(sizeof(*__sync_val_compare_and_swap(&pointer, 0, 0)));
    observe(KIND(__builtin_expect(1, 1)));

    /* unsigned integers of 128 bits */
    observe((unsigned __int128)-1 > 0);
    observe((long)((unsigned __int128)-1 >> 127));
    observe((unsigned __int128)-1 / 2 > 5);
    observe((long)((unsigned __int128)-1 % 10));
    observe((double)((unsigned __int128)-1) > 1.0);

    /* conditional operators */
    double half = (1 ? 2 : 1.5) / 4;
    observe(half == 0.5);
    observe((0 ? 0.5 : 1) / 2 > 0);
    observe(sizeof(1 ? (char)0 : 0L) * 10 + sizeof(1 ? 2 : 1.5));
    void *v_array = array;
    int *i_array = array;
    observe((char *)((condition ? v_array : i_array) + 1) - (char *)array);
    observe((char *)((condition ? i_array : v_array) + 1) - (char *)array);
    observe((char *)((condition ? (void *)0 : i_array) + 1) - (char *)array);
    observe((char *)((condition ? 0 : i_array) + 1) - (char *)array);
    observe(KIND(condition ? v_array : i_array) * 100 + KIND(condition ? i_array : (void *)0));
    observe_end();
    return 0;
}
