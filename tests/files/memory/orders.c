// What an order means is what the memory model says: that weaker ones are read as stronger ones is said of
// sequential consistency alone, whoever decides, and whether that is asked for or not.
// RUN: for mm in sc tso pso; do sapa check --mm $mm %s | head -1; done
// RUN: sapa check %s | head -1
// RUN: for mm in sc tso pso; do sapa check --mm $mm -DSPIN %s | head -1; done
// RUN: for mm in sc tso pso; do sapa check --mm $mm -DSEARCHED %s | head -1; done
// RUN: sapa check --engine bounded %s | head -1
// RUN: sapa check --mm tso --json -DSPIN %s | grep -c 'weaker memory orders' || true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
atomic_int x, y;
int data;

void *sender(void *arg)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
#if defined SEARCHED
    // Main may see that this waits: it does not matter to what is asserted.
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    data = 1 + 0 * atomic_load_explicit(&y, memory_order_relaxed);
#endif
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
#if defined SEARCHED
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    int seen = atomic_load_explicit(&x, memory_order_relaxed);
#endif
#if defined SPIN
    while (!atomic_load_explicit(&ready, memory_order_acquire)) { }
#else
    if (!atomic_load_explicit(&ready, memory_order_acquire))
        return 0;
#endif
    assert(data == 1);
    return 0;
}
