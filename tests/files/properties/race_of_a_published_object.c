// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DSTORE=memory_order_relaxed
// precise: FAILED --property races -DLOAD=memory_order_relaxed
// precise: SUCCESSFUL --property races -DEXCHANGED
// precise: FAILED --property races -DEXCHANGED -DSTORE=memory_order_relaxed
// precise: FAILED --property races -DTAKEN
// An object that nobody else knows is filled, and then published by a pointer: what its owner did before is in order with what others do only if
// that is. Who fails to exchange a pointer has read another's without an order, if the order of failure is relaxed.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef STORE
#define STORE memory_order_release
#endif
#ifndef LOAD
#define LOAD memory_order_acquire
#endif
struct node {
    int value;
};
struct node *_Atomic published;

void *publish(void *arg) {
    struct node *mine = malloc(sizeof *mine);
    if (!mine)
        return 0;
    mine->value = 1;
#ifdef EXCHANGED
    struct node *none = 0;
    if (!atomic_compare_exchange_strong_explicit(&published, &none, mine, STORE, memory_order_relaxed))
        free(mine);
#else
    atomic_store_explicit(&published, mine, STORE);
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    int value = 0;
    pthread_create(&thread, 0, publish, 0);
#ifdef TAKEN
    struct node *seen = 0;
    if (!atomic_compare_exchange_strong_explicit(&published, &seen, 0, memory_order_acq_rel, memory_order_relaxed))
        value = seen->value;
#else
    struct node *seen = atomic_load_explicit(&published, LOAD);
    if (seen)
        value = seen->value;
#endif
    pthread_join(thread, 0);
    return value;
}
