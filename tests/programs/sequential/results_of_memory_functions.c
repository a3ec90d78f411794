// covers: memory-functions
// They return `void *`, whatever they are given.
#include <string.h>
#include "observe.h"

int main(void)
{
    int a[4], b[4] = { 1, 2, 3, 4 };
    void *end = memset(a, 0, sizeof a) + 4;
    observe(end == (void *)&a[1]);
    end = memcpy(a, b, sizeof a) + 4;
    observe(end == (void *)&a[1]);
    observe(*(int *)(memmove(a, b, sizeof a) + 8));
    observe(*(int *)(__builtin_memcpy(a, b, sizeof a) + 8));
    observe(_Generic(memcpy(a, b, sizeof a), void *: 1, default: 2));
    observe(_Generic(memset(a, 0, sizeof a), void *: 1, default: 2));
    observe_end();
    return 0;
}
