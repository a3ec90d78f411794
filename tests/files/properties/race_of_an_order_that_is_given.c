// precise: FAILED --property races
// precise: SUCCESSFUL --property races -DTELL=memory_order_release
// precise: FAILED --property races -DFENCE
// precise: SUCCESSFUL --property races -DFENCE -DTELL=memory_order_release
// precise: FAILED --property races -DEXCHANGE
// precise: SUCCESSFUL --property races -DEXCHANGE -DTELL=memory_order_release
// Memory orders may be any expressions, as parameters of functions around the operations.
#include <pthread.h>
#include <stdatomic.h>

#ifndef TELL
#define TELL memory_order_relaxed
#endif

static int data;
static atomic_int flag;

static void tell(memory_order order) {
#if defined(FENCE)
    atomic_thread_fence(order);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
#elif defined(EXCHANGE)
    int expected = 0;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 1, order, memory_order_relaxed);
#else
    atomic_store_explicit(&flag, 1, order);
#endif
}

static int seen(memory_order order) {
    return atomic_load_explicit(&flag, order);
}

static void *teller(void *unused) {
    data = 1;
    tell(TELL);
    return unused;
}

static void *reader(void *unused) {
    memory_order order = unused ? memory_order_seq_cst : memory_order_acquire;
    if (seen(order))
        data = 2;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
