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
// check: function worker
// nextln: print-alias-fields.c:16:13: reads spare.lock (shared)
// nextln: print-alias-fields.c:17:26: reads head (shared)
// nextln: print-alias-fields.c:18:5: writes nodes[0].value (shared)
// nextln: print-alias-fields.c:19:5: writes nodes[*].next (shared)
// nextln: print-alias-fields.c:20:20: reads nodes[0].next (shared)
// nextln: print-alias-fields.c:21:5: writes spare.lock (shared)
