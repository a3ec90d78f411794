/* CLH queue lock with nodes, broken. After Craig: Building FIFO and priority-queueing spin locks from
 * atomic swap (1993)
 *
 * Assertion: nobody else is in the critical section. Bug: the node is marked after it is in the queue.
 *
 *     sapa check clh_lock_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

struct node {
    int locked;
};

struct node nodes[3];
struct node *tail = &nodes[0];
int busy = 0;

static void section(struct node *own)
{
    struct node *before = __sync_lock_test_and_set(&tail, own);
    own->locked = 1;
    while (before->locked)
        ;
    assert(busy == 0);
    busy = 1;
    busy = 0;
    own->locked = 0;
}

void *first(void *arg)
{
    section(&nodes[1]);
    return 0;
}

void *second(void *arg)
{
    section(&nodes[2]);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
