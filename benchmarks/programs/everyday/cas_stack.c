// A stack whose top is replaced by compare-and-swap; two threads push two nodes each, which main counts.
//
// Safe: the exchange succeeds only if the top is still the node to which the new one points, so no node is lost.
// Broken: the new node's successor is not set again when the exchange is repeated, and nodes pushed meanwhile are lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

static struct node nodes[4] = { { 1, NULL }, { 2, NULL }, { 3, NULL }, { 4, NULL } };
static _Atomic(struct node *) top;

static void push(struct node *node)
{
    struct node *old = atomic_load(&top);
    node->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, node)) {
#ifndef BROKEN
        node->next = old;
#endif
    }
}

static void *run(void *arg)
{
    struct node *two = arg;
    push(&two[0]);
    push(&two[1]);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int sum = 0;
    pthread_create(&a, NULL, run, &nodes[0]);
    pthread_create(&b, NULL, run, &nodes[2]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (struct node *n = atomic_load(&top); n != NULL; n = n->next)
        sum += n->value;
    assert(sum == 10);
    return 0;
}
