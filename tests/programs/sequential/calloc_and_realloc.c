// covers: heap
#include <stdlib.h>
#include <string.h>
#include "observe.h"

int main(void)
{
    int *p = calloc(4, sizeof(int));
    observe(p[3]);
    p[1] = 7;
    p = realloc(p, 8 * sizeof(int));
    observe(p[1]);
    p[7] = 9;
    p = realloc(p, 2 * sizeof(int));
    observe(p[1]);
    free(p);
    char *s = strdup("abc");
    observe(s[2]);
    free(s);
    observe_end();
    return 0;
}
