// precise: FAILED --threads 0
// C leaves open in which order equal elements are after sorting.
#include <assert.h>
#include <stdlib.h>

struct item { int key, place; };

int by_key(const void *a, const void *b) {
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}

int main(void) {
    struct item items[] = { { 2, 0 }, { 1, 1 }, { 2, 2 } };
    qsort(items, 3, sizeof *items, by_key);
    assert(items[0].place == 1);
    assert(items[1].place == 0);
}
