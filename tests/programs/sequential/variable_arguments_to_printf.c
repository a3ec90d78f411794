// covers: varargs
#include <stdio.h>
#include "observe.h"

static int calls;

static int count(void)
{
    return ++calls;
}

int main(void)
{
    char text[8];
    if (calls)
        printf("%d %s\n", count(), text);
    if (calls)
        fprintf(stderr, "%d\n", count());
    observe(calls);
    observe_end();
    return 0;
}
