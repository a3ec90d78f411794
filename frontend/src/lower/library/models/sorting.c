/* <stdlib.h>: sorting and searching arrays, and numbers at random. */

typedef unsigned long size_t;

void __sapa_swap_bytes(void *left, void *right, size_t size)
{
    char *a = left, *b = right;
    for (size_t i = 0; i < size; i++) {
        char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Insertion. C leaves the order of equal elements open: here, each may come to pass. */
void __sapa_qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *),
                  void (*swap)(void *, void *, size_t))
{
    for (size_t i = 1; i < count; i++) {
        char *item = (char *)array + i * size;
        for (size_t j = i; j > 0; j--, item -= size) {
            int order = compare(item - size, item);
            if (order < 0 || (!order && __VERIFIER_nondet_bool()))
                break;
            swap(item - size, item, size);
        }
    }
}

/* Halving. Of equal elements any may be found. */
void *bsearch(const void *key, const void *array, size_t count, size_t size,
              int (*compare)(const void *, const void *))
{
    const char *items = array;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(key, items + middle * size);
        if (order < 0) {
            high = middle;
        } else if (order > 0) {
            low = middle + 1;
        } else {
            while (middle + 1 < high && __VERIFIER_nondet_bool()
                   && !compare(key, items + (middle + 1) * size))
                middle++;
            while (middle > low && __VERIFIER_nondet_bool()
                   && !compare(key, items + (middle - 1) * size))
                middle--;
            return (void *)(items + middle * size);
        }
    }
    return 0;
}

int rand_r(unsigned *seed)
{
    *seed = __VERIFIER_nondet_uint();
    return (int)(__VERIFIER_nondet_uint() & 0x7fffffff);
}

/* A multiple of 2^-48. */
double drand48(void)
{
    return (double)(__VERIFIER_nondet_ulong() & 0xffffffffffff) / 0x1p48;
}
