// The widths of pointers and of long: said by an option, or shown by a file that was preprocessed for 32 bits.
// RUN: cd %d && sapa check -q data_model.c && sapa check -q --data-model lp64 data_model.c && sapa check -q -m64 data_model.c | tail -1
// RUN: cd %d && for option in --data-model=ILP32 -m32 '-m64 --data-model ILP32'; do sapa check -q $option data_model.c -DWIDTH=4 2>&1 | tail -1; done
// RUN: cd %d && CC='cc -m32' sapa check -q data_model.c -DWIDTH=4 | tail -1
// RUN: cd %d && sapa check -q -DSHOWN -DWIDTH=4 data_model.c 2>&1
// RUN: cd %d && sapa check -q -m64 -DSHOWN data_model.c 2>&1 | head -3
// RUN: cd %d && sapa check -q machine/for_32_bits.i 2>&1
// RUN: cd %d && sapa check -q machine/for_32_bits.i --data-model LP64 2>&1 | head -1
// RUN: cd %d && sapa check -q machine/for_32_bits.i machine/other.c 2>&1; echo "exit $?"
// RUN: cd %d && sapa check -q machine/for_32_bits.i machine/other.c -m32 2>&1 | tail -1
// RUN: cd %d && sapa-cc data_model.c -m32 -DWIDTH=4 2>&1 | sapa check -q - --data-model ILP32 2>&1
// RUN: cd %d && sapa-cc data_model.c -m32 -DWIDTH=4 2>&1 | grep ^target
// RUN: cd %d && sapa check -q --data-model 16 data_model.c 2>&1 | head -2
// RUN: cd %d && gcc -m32 -fsyntax-only -DLAYOUT data_model.c 2> %t.notes && sapa check -q -m32 -DLAYOUT -DWIDTH=4 data_model.c | tail -1
#ifdef SHOWN
typedef unsigned int __kernel_size;
typedef __kernel_size size_t;
#endif
#ifndef WIDTH
#define WIDTH 8
#endif
void reach_error(void) { }
long long strtoll(const char *, char **, int);
long strtol(const char *, char **, int);
int snprintf(char *, unsigned long, const char *, ...);

#ifdef LAYOUT
#define SAME(condition) _Static_assert(condition, #condition)
enum large { LARGE = 0x100000000 };
typedef int doubled __attribute__((mode(DI)));
typedef int pointed __attribute__((mode(pointer)));
SAME(sizeof(struct { char c; long long x; }) == 12);
SAME(sizeof(struct { char c; double x; }) == 12);
SAME(sizeof(struct { char c; _Atomic long long x; }) == 16);
SAME(sizeof(struct { char c; long long x : 40; }) == 8);
SAME(sizeof(struct { short s; char *p; char c; }) == 12);
SAME(sizeof(union { char c; long long x; }) == 8);
SAME(_Alignof(long long) == 4 && _Alignof(double) == 4 && _Alignof(void *) == 4);
SAME(sizeof(enum large) == 8 && sizeof(doubled) == 8 && sizeof(pointed) == 4);
SAME(_Generic(sizeof(int), unsigned int: 1, default: 0));
SAME(_Generic(2147483648, long long: 1, default: 0));
SAME(_Generic(4294967295U + 1L, unsigned long: 1, default: 0));
SAME(_Generic(0xffffffff, unsigned int: 1, default: 0));
SAME(_Generic((doubled)1, long long: 1, default: 0));
#endif

int main(void)
{
    unsigned long all = -1;
    if (sizeof(long) != WIDTH || sizeof(int *) != WIDTH || sizeof(long long) != 8 || sizeof all != WIDTH)
        reach_error();
    if (WIDTH == 4 && all != 0xffffffff)
        reach_error();
    char text[12];
    snprintf(text, sizeof text, "%lld", 4294967297);
    if (text[9] != '7' || strtoll(text, 0, 10) != 4294967297 || (WIDTH == 4 && strtol(text, 0, 10) != 2147483647))
        reach_error();
    return 0;
}
