// Members are told apart, through pointers and in all elements of an array; elements are not.
// RUN: sapa-cc %s | sapa-opt -p 'inline,mem2reg,print-alias' --no-output - 2>&1
#include <pthread.h>

struct node {
    int value;
    struct node *next;
    int lock;
};

struct node nodes[4], spare;
struct node *head = &nodes[0];

void *worker(void *argument)
{
    int i = *(volatile int *)&spare.lock;
    struct node *first = head;
    first->value = 1;
    nodes[i & 3].next = &spare;
    int *member = &first->next->lock;
    *member = 2;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
}
