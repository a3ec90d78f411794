// precise: FAILED
// The node gets its value when others know of it: before, they read what happens to be there.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
} *shared;

int __VERIFIER_nondet_int(void);

void *writer(void *unused) {
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        shared = node;
        node->value = 1;
    }
    return unused;
}

int main(void) {
    pthread_t handle;
    pthread_create(&handle, 0, writer, 0);
    struct node *node = shared;
    if (node)
        assert(node->value == 1);
}
