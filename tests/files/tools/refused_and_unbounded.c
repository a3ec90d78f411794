// Where the abstraction does not follow what decides and the bounded engine comes to no end, both are said.
// RUN: sapa check %s --threads 1
// EXIT: 5
// check: depends on what is read of the heap or of a large object
// check: no assertion fails in runs whose loops have at most 12 rounds, and there are longer ones
#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value, copy;
};

int nondet_int(void);

int main(void) {
    struct node *list = 0;
    for (int i = nondet_int(); i > 0; i--) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->value = node->copy = i;
        list = node;
    }
    for (; list; list = list->next)
        assert(list->value == list->copy);
}
