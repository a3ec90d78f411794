// precise: FAILED
// What nodes of the heap point to is written through them: with two nodes `counted` becomes 2. A proof would have
// taken the nodes' pointers for ones to nothing that is known.
#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int *counter;
};

int __VERIFIER_nondet_int(void);

int counted;

int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->counter = &counted;
        list = node;
    }
    for (; list; list = list->next)
        *list->counter = *list->counter + 1;
    assert(counted < 2);
}
