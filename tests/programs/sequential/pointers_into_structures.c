// covers: struct-pointers
#include "observe.h"

struct node { int value; struct node *next; };

int main(void)
{
    struct node c = { 3, 0 }, b = { 2, &c }, a = { 1, &b };
    int *p = &b.value;
    *p = 20;
    int sum = 0;
    for (struct node *n = &a; n; n = n->next)
        sum = sum * 100 + n->value;
    observe(sum);
    observe(a.next->next->value);
    observe(a.next == &b);
    observe_end();
    return 0;
}
