// precise: SUCCESSFUL --signed-overflow absent
// precise: SUCCESSFUL --signed-overflow absent -DAGAIN
// precise: FAILED --signed-overflow absent -DSAME

// A lock that its owner may take again: who finds its own number there is the owner, since no two threads have the same
// number. That the numbers differ is said of the number that was drawn, of which the name `me` is a sum.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int owner, last;
int depth;

static void take(int me)
{
    int nobody;
    if (owner == me) {
        depth++;
        return;
    }
    do {
        nobody = 0;
    } while (!atomic_compare_exchange_strong(&owner, &nobody, me));
    depth = 1;
}

void *worker(void *argument)
{
#ifdef SAME
    int me = last + 1;
    last = me;
#else
    int me = atomic_fetch_add(&last, 1) + 1;
#endif
    take(me);
    assert(depth == 1);
#ifdef AGAIN
    take(me);
    assert(depth == 2);
    depth--;
#endif
    depth--;
    owner = 0;
    return argument;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
