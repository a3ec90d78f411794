// precise: FAILED
// One way to the list gives the node no value.
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
        if (__VERIFIER_nondet_int())
            node->value = 1;
        node->next = list;
        list = node;
    }
    for (; list; list = list->next)
        assert(list->value == 1);
}
