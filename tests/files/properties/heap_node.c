// precise: SUCCESSFUL --property pointers,leaks
// precise: FAILED --property pointers -DAFTER_FREE
// precise: FAILED --property pointers -DTWICE
// precise: FAILED --property pointers -DNULL_NEXT
// precise: FAILED --property pointers -DINSIDE
// precise: FAILED --property pointers -DUNINITIALISED
// precise: FAILED --property leaks -DKEPT
// precise: SUCCESSFUL --property pointers -DKEPT
#include <stdlib.h>
struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node *node = malloc(sizeof *node);
    node->value = 1;
#ifndef UNINITIALISED
    node->next = 0;
#endif
    int value = node->value;
#if defined NULL_NEXT || defined UNINITIALISED
    value = node->next->value;
#endif
#ifdef INSIDE
    free(&node->next);
#elif !defined KEPT
    free(node);
#endif
#ifdef AFTER_FREE
    value = node->value;
#endif
#ifdef TWICE
    free(node);
#endif
    return value;
}
