#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int next[3] = { 0, 2, 0 };
atomic_int top = 1;
atomic_int taken[3];

int node_of(int top) { return top % 4; }
int changed(int top, int node) { return top - node_of(top) + 4 + node; }

void push(int node)
{
    int old = atomic_load(&top);
    do
        next[node] = node_of(old);
    while (!atomic_compare_exchange_strong(&top, &old, changed(old, node)));
}

int pop(void)
{
    int old = atomic_load(&top);
    while (node_of(old) != 0
           && !atomic_compare_exchange_strong(&top, &old, changed(old, next[node_of(old)])))
        ;
    return node_of(old);
}

int take(void)
{
    int node = pop();
    if (node != 0)
        assert(atomic_exchange(&taken[node], 1) == 0);
    return node;
}

void give(int node)
{
    if (node != 0) {
        atomic_store(&taken[node], 0);
        push(node);
    }
}

void *left(void *unused)
{
    take();
    take();
    return 0;
}

void *right(void *unused)
{
    int node = take();
    take();
    give(node);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
