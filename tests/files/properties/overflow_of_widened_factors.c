// precise: SUCCESSFUL --property overflow --engine auto
// precise: FAILED --property overflow -DNARROW
// A product of two numbers of 32 bits fits into 64, and so does a sum of two such products and a small one; computed in 32 bits it does not.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
#ifdef NARROW
typedef int wide;
#else
typedef long wide;
#endif
wide results[2];

static wide squares(int x, short y)
{
    return (wide)x * x + (wide)y * y + (wide)(x & 0xff) * y;
}

void *compute(void *argument)
{
    results[1] = squares(__VERIFIER_nondet_int(), (short)__VERIFIER_nondet_int());
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, compute, 0);
    results[0] = squares(__VERIFIER_nondet_int(), (short)__VERIFIER_nondet_int());
    pthread_join(thread, 0);
    return 0;
}
