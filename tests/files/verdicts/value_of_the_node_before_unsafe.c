// precise: FAILED
// The node of the round before is still known when the next one is allocated: it has got no value.
#include <assert.h>
#include <stdlib.h>

struct node {
    int value;
};

int __VERIFIER_nondet_int(void);

int main(void) {
    struct node *before = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (before)
            assert(before->value == 1);
        if (__VERIFIER_nondet_int())
            node->value = 1;
        before = node;
    }
}
