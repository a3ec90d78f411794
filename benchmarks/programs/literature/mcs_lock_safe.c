/* MCS queue lock with a node for each thread, safe. After Mellor-Crummey and Scott: Algorithms for
 * scalable synchronization on shared-memory multiprocessors (1991)
 *
 * Assertion: nobody else is in the critical section.
 *
 *     sapa check mcs_lock_safe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

struct node {
    struct node *next;
    int waiting;
};

struct node nodes[2];
struct node *tail = 0;
int busy = 0;

static void lock(struct node *own)
{
    own->next = 0;
    own->waiting = 1;
    struct node *before = __sync_lock_test_and_set(&tail, own);
    if (before) {
        before->next = own;
        while (own->waiting)
            ;
    }
}

static void unlock(struct node *own)
{
    if (!own->next) {
        if (__sync_bool_compare_and_swap(&tail, own, 0))
            return;
        while (!own->next)
            ;
    }
    own->next->waiting = 0;
}

static void section(struct node *own)
{
    lock(own);
    assert(busy == 0);
    busy = 1;
    busy = 0;
    unlock(own);
}

void *first(void *arg)
{
    section(&nodes[0]);
    return 0;
}

void *second(void *arg)
{
    section(&nodes[1]);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
