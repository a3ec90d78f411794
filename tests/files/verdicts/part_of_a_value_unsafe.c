// precise: FAILED
// A byte of the value is written through another pointer.
#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int __VERIFIER_nondet_int(void);

int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->value = 1;
        node->next = list;
        list = node;
    }
    if (list)
        ((char *)&list->value)[1] = 1;
    for (; list; list = list->next)
        assert(list->value == 1);
}
