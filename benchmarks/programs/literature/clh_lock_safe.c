/* CLH queue lock with nodes, safe. After Craig: Building FIFO and priority-queueing spin locks from
 * atomic swap (1993)
 *
 * Assertion: nobody else is in the critical section.
 *
 *     sapa check clh_lock_safe.c --threads 2
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
    own->locked = 1;
    struct node *before = __sync_lock_test_and_set(&tail, own);
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
