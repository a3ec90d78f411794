// precise: SUCCESSFUL --property pointers,leaks
// precise: FAILED --property pointers -DBROKEN
// precise: FAILED --property leaks -DLEAK
// A list that is built and taken apart; the broken one reads the link of a node that is freed.
#include <stdlib.h>
struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node *head = 0;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = i;
        node->next = head;
        head = node;
    }
#ifdef LEAK
    head = head->next;
#endif
    while (head) {
#ifdef BROKEN
        free(head);
        head = head->next;
#else
        struct node *next = head->next;
        free(head);
        head = next;
#endif
    }
    return 0;
}
