// precise: SUCCESSFUL
// precise: SUCCESSFUL --allocations may-fail
// precise: FAILED -DUNBOUNDED --allocations may-fail
// There is no such memory, and none of the size that is left of the product.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void *kcalloc(size_t, size_t, unsigned);
void *kmalloc_array(size_t, size_t, unsigned);
unsigned long __VERIFIER_nondet_ulong(void);

int main(void)
{
    size_t many = SIZE_MAX / 4 + 2, any = __VERIFIER_nondet_ulong();
    assert(!calloc(many, 4) && !kcalloc(many, 4, 0) && !kmalloc_array(many, 4, 0));
    int *old = malloc(4);
    errno = 0;
    assert(!reallocarray(old, many, 4) && errno == ENOMEM);
    free(old);
    int *numbers = calloc(any, sizeof *numbers);
    assert(!numbers || any <= SIZE_MAX / sizeof *numbers);
    int *of_kernel = kcalloc(any, any, 0);
    assert(!of_kernel || any < 1ul << 32);
#ifdef UNBOUNDED
    assert(numbers);
#endif
    return 0;
}
