// Three nodes elect a leader by compare-and-swap on a shared variable; all of them must name the same one.
//
// Safe: the exchange from "nobody" succeeds once, and everybody reads the leader afterwards.
// Broken: a node looks whether there is a leader and stores its own number if not; an early reader names another one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODES 3
#define NOBODY 0

static atomic_int leader = NOBODY;

static void *elect(void *arg)
{
    long me = (long)arg;
#ifdef BROKEN
    if (leader == NOBODY)
        leader = (int)me;
#else
    int nobody = NOBODY;
    atomic_compare_exchange_strong(&leader, &nobody, (int)me);
#endif
    return (void *)(long)leader;
}

int main(void)
{
    pthread_t nodes[NODES];
    void *named[NODES];
    for (long i = 0; i < NODES; i++)
        pthread_create(&nodes[i], NULL, elect, (void *)(i + 1));
    for (int i = 0; i < NODES; i++)
        pthread_join(nodes[i], &named[i]);
    for (int i = 0; i < NODES; i++)
        assert(named[i] == named[0] && named[i] != NULL);
    return 0;
}
