// Where the abstraction refuses a program and the bounded engine comes to no end, both are said.
// RUN: sapa check %s --threads 1
// EXIT: 5
// check: inconclusive: refused_and_unbounded.c:19:29: heap memory is not modelled
// check: no assertion fails in runs whose loops have at most 12 rounds, and there are longer ones at refused_and_unbounded.c:18:32; what may help: another way to write it
#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int nondet_int(void);

int main(void) {
    struct node *list = 0;
    for (int i = nondet_int(); i > 0; i--) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->value = i;
        list = node;
    }
    for (; list; list = list->next)
        assert(list->value > 0);
}
