#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int next[3];
atomic_int top;

void push(int node)
{
    next[node] = atomic_load(&top);
    atomic_store(&top, node);
}

void *left(void *unused)
{
    push(1);
    return 0;
}

void *right(void *unused)
{
    push(2);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int nodes = 0;
    for (int node = top; node != 0; node = next[node])
        nodes++;
    assert(nodes == 2);
}
