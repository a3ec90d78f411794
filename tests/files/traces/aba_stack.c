// A node is taken and put back while another thread takes it too: the top is the same again, but
// what was below it is not.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int taken;
    struct node *next;
};
struct node bottom, upper = {0, &bottom};
struct node *_Atomic top = &upper;

void *other(void *unused)
{
    struct node *a = atomic_exchange(&top, NULL);
    if (a != &upper)
        return NULL;
    bottom.taken = 1;
    a->next = NULL;
    atomic_store(&top, a);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    struct node *node = atomic_load(&top);
    struct node *next = node->next;
    if (atomic_compare_exchange_strong(&top, &node, next)) {
        struct node *now = atomic_load(&top);
        assert(!now || !now->taken);
    }
}
