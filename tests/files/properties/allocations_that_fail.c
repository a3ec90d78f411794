// precise: SUCCESSFUL --property leaks --allocations may-fail
// precise: FAILED --property leaks --allocations may-fail -DMALLOC
// precise: FAILED --property leaks --allocations may-fail -DCALLOC
// precise: FAILED --property leaks --allocations may-fail -DSTRDUP
// precise: FAILED --property leaks --allocations may-fail -DALIGNED
// precise: FAILED --property leaks --allocations may-fail -DKERNEL
// An allocation that fails allocates nothing, so that there is nothing to free.
#include <stdlib.h>
#include <string.h>
unsigned long __VERIFIER_nondet_ulong(void);
void *kmalloc(size_t, unsigned);
void kfree(const void *);

int main(void) {
    int *number = malloc(sizeof *number);
    if (!number)
        return 1;
#ifdef CALLOC
    unsigned long count = __VERIFIER_nondet_ulong();
#else
    unsigned long count = 3;
#endif
    int *zero = calloc(count, sizeof *zero);
    if (zero) {
        char *text = strdup("a");
        void *aligned = 0;
        if (text && posix_memalign(&aligned, 64, 64) == 0) {
#ifndef ALIGNED
            free(aligned);
#endif
        }
        void *kernel = kmalloc(8, 0xcc0);
#ifndef KERNEL
        kfree(kernel);
#endif
#ifndef STRDUP
        free(text);
#endif
#ifndef CALLOC
        free(zero);
#endif
    }
#ifndef MALLOC
    free(number);
#endif
    return 0;
}
