// covers: heap
#include <stdlib.h>
#include "observe.h"

int main(void)
{
    int *p = malloc(sizeof(int));
    *p = 5;
    int *q = malloc(3 * sizeof *q);
    for (int i = 0; i < 3; i++)
        q[i] = *p + i;
    observe(q[2]);
    observe(p != q);
    free(p);
    free(q);
    free(0);
    observe_end();
    return 0;
}
