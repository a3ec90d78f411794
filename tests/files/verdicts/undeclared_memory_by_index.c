// sound: FAILED --engine bounded
// sound: FAILED --engine bounded -DTWO
// sound: FAILED --engine bounded -DBESIDE
// What lies at a number may be memory that the program does not declare, such as a device's: where the
// address is one of a few as well, and where it is behind such a number and happens to be beside an object.
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);
int first;

int main(void)
{
    first = 0;
#ifdef TWO
    volatile int *place = __VERIFIER_nondet_bool() ? (int *)0x40000000 : (int *)0x40000004;
    assert(*place == 1);
#elif defined BESIDE
    assert(((volatile int *)0x7ffffffc)[2] == 1);
#else
    unsigned index = __VERIFIER_nondet_bool();
    assert(((volatile int *)0x40000000)[index] == 1);
#endif
}
