// covers: heap
#include <stdlib.h>
#include "observe.h"

struct cell { int value; struct cell *next; };
static struct cell *push(struct cell *h, int v)
{
    struct cell *c = malloc(sizeof *c);
    if (!c)
        abort();
    c->value = v;
    c->next = h;
    return c;
}

int main(void)
{
    struct cell *h = 0;
    for (int i = 0; i < 4; i++)
        h = push(h, i);
    int sum = 0;
    while (h) {
        struct cell *t = h->next;
        sum = sum * 10 + h->value;
        free(h);
        h = t;
    }
    observe(sum);
    observe_end();
    return 0;
}
