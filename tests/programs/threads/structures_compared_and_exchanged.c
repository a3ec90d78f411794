// covers: c11-atomics
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node { int value; struct node *next; };
struct top { struct node *first; unsigned long count; };

_Atomic struct top top;
struct node nodes[2];

void push(struct node *node)
{
    struct top old = atomic_load(&top), new;
    do {
        node->next = old.first;
        new.first = node;
        new.count = old.count + 1;
    } while (!atomic_compare_exchange_strong(&top, &old, new));
}

void *pushes(void *argument)
{
    nodes[1].value = 2;
    push(&nodes[1]);
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct top now;
    pthread_create(&thread, 0, pushes, 0);
    nodes[0].value = 1;
    push(&nodes[0]);
    pthread_join(thread, 0);
    now = atomic_load(&top);
    assert(now.count == 2);
    assert(now.first->value + now.first->next->value == 3 && !now.first->next->next);
    return 0;
}
