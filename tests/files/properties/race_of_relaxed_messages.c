// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DSTORE=memory_order_relaxed
// precise: FAILED --property races -DLOAD=memory_order_relaxed
// precise: SUCCESSFUL --property races -DSTORE=memory_order_relaxed -DFENCE_BEFORE
// precise: SUCCESSFUL --property races -DLOAD=memory_order_relaxed -DFENCE_BEHIND
// precise: FAILED --property races -DLOAD=memory_order_relaxed -DFENCE_BEFORE
// precise: FAILED --property races -DANSWER=memory_order_relaxed
// A message is published by a flag, whose answer says that it may be written again: in C11 a store that does not release, and a
// load that does not acquire, order nothing, though no run comes to both accesses of the message at once.
#include <pthread.h>
#include <stdatomic.h>
#ifndef STORE
#define STORE memory_order_release
#endif
#ifndef LOAD
#define LOAD memory_order_acquire
#endif
#ifndef ANSWER
#define ANSWER memory_order_release
#endif
atomic_int ready, taken;
int message;

void *receive(void *arg) {
    if (atomic_load_explicit(&ready, LOAD)) {
#ifdef FENCE_BEHIND
        atomic_thread_fence(memory_order_acquire);
#endif
        long got = message;
        atomic_store_explicit(&taken, 1, ANSWER);
        return (void *)got;
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, receive, 0);
    message = 42;
#ifdef FENCE_BEFORE
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&ready, 1, STORE);
    if (atomic_load_explicit(&taken, memory_order_acquire))
        message = 43;
    pthread_join(thread, 0);
    return 0;
}
