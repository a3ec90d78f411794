// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DLOOP
// precise: FAILED --property bounds -DSTRING
// precise: FAILED --property bounds -DCOPY
// Arrays of the heap, and what functions of the library access.
#include <stdlib.h>
#include <string.h>
char small[6], large[12];

int main(void) {
    int n = 3;
    int *a = malloc(n * sizeof *a);
#ifdef LOOP
    for (int i = 0; i <= n; i++)
#else
    for (int i = 0; i < n; i++)
#endif
        a[i] = i;
    int second = a[1];
    free(a);
#ifdef STRING
    strcpy(small, "sixsix");
#else
    strcpy(small, "fives");
#endif
#ifdef COPY
    memcpy(large + 7, small, 6);
#else
    memcpy(large + 6, small, 6);
#endif
    return second + large[6];
}
