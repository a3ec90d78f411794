// precise: SUCCESSFUL --threads 1
// What a header declares and nobody uses holds no address of a local.
#include <pthread.h>

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node last = {1, 0}, first = {2, &last}, *list = &first;
    __CPROVER_assert(list->next->value == 1, "the last one");
}
