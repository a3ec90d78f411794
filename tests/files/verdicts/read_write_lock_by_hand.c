// precise: SUCCESSFUL
// precise: FAILED -DPUSHY
// precise: FAILED -DSURE
// A word that is -1 while a writer is there, and else the number of readers.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

extern int nondet(void);

struct guard {
    atomic_int state;
};

struct guard guard;
int first, second;

static bool enter_shared(struct guard *g)
{
    int now = atomic_load(&g->state);
    while (now >= 0 && now < 100) {
        if (atomic_compare_exchange_weak(&g->state, &now, now + 1))
            return true;
    }
    return false;
}

static void leave_shared(struct guard *g)
{
    int now = atomic_load(&g->state);
    while (!atomic_compare_exchange_weak(&g->state, &now, now - 1)) {
    }
}

static bool enter_alone(struct guard *g)
{
    int expected = 0;
#ifdef PUSHY
    /* As if one reader did not matter. */
    expected = atomic_load(&g->state) == 1;
#endif
    return atomic_compare_exchange_strong(&g->state, &expected, -1);
}

void *writer(void *argument)
{
    if (enter_alone(&guard)) {
        int value = nondet();
        first = value;
        second = value;
        atomic_store(&guard.state, 0);
    }
    return 0;
}

void *reader(void *argument)
{
#ifdef SURE
    enter_shared(&guard);
#else
    if (!enter_shared(&guard))
        return 0;
#endif
    assert(first == second);
    leave_shared(&guard);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (nondet())
        pthread_create(&thread, 0, nondet() ? writer : reader, 0);
    return 0;
}
