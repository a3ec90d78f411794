// precise: SUCCESSFUL --engine bounded
// precise: SUCCESSFUL --engine bounded -DEND
// precise: SUCCESSFUL -DLATE
// NOTE assuming one layout of memory: the program computes with addresses
// An answer that rests on where objects lie says so, whoever gives it: what lies behind an object, a pointer
// that is read as a number, and code that only long runs come to (LATE).
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);
int a, b;

int down(int n) { return n ? down(n - 1) : 0; }

int main(void)
{
#ifdef END
    assert(&a + 1 != &b && &b + 1 != &a);
#elif defined LATE
    down(1);
    for (int n = 0; n < 100; n++)
        if (__VERIFIER_nondet_bool())
            return 0;
    assert(&a < &b);
#else
    union {
        int *pointer;
        unsigned long number;
    } both;
    both.pointer = &a;
    assert(both.number >> 32 < 100);
#endif
}
