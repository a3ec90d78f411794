// covers: heap
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node { int value; struct node *next; };
struct node *top;

void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    do
        n->next = top;
    while (!__sync_bool_compare_and_swap(&top, n->next, n));
}

void *worker(void *arg)
{
    push(1);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    push(2);
    pthread_join(a, 0);
    assert(top && top->next && !top->next->next);
    assert(top->value + top->next->value == 3);
    return 0;
}
