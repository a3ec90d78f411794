// precise: FAILED --property races
// precise: SUCCESSFUL --property races -DTELL=memory_order_release
// precise: FAILED --property races -DSTORE -DTELL=memory_order_release
// precise: SUCCESSFUL --property races -DSTORE -DSEE=memory_order_acquire -DTELL=memory_order_release
// precise: FAILED --property races -DEXCHANGE
// precise: SUCCESSFUL --property races -DEXCHANGE -DTELL=memory_order_release
// precise: FAILED --property races -DVALUE
// precise: SUCCESSFUL --property races -DVALUE -DTELL=memory_order_release
// precise: FAILED --property races -DCLOCK
// precise: SUCCESSFUL --property races -DCLOCK -DTELL=memory_order_release
// A load releases nothing whatever its order is, a store acquires nothing, and an exchange that fails is a load. What a
// thread keeps for itself orders nothing, nor does the clock.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#ifndef TELL
#define TELL memory_order_relaxed
#endif
#ifndef SEE
#define SEE memory_order_relaxed
#endif

static int data;
static atomic_int flag;
static pthread_key_t key;

static void before_telling(void) {
#if defined(EXCHANGE)
    int expected = 5;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 6, memory_order_acq_rel, memory_order_relaxed);
#elif defined(VALUE)
    pthread_setspecific(key, &data);
#elif defined(CLOCK)
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
#elif !defined(STORE)
    if (atomic_load(&flag) != 0)
        atomic_load(&flag);
#endif
}

static void *teller(void *unused) {
    data = 1;
    before_telling();
    atomic_store_explicit(&flag, 1, TELL);
    return unused;
}

static void *reader(void *unused) {
#ifdef STORE
    if (atomic_load_explicit(&flag, SEE) == 1) {
        atomic_store(&flag, 2);
        data = 2;
    }
#else
    if (atomic_load(&flag) == 1) {
#ifdef VALUE
        pthread_getspecific(key);
#elif defined(CLOCK)
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
#endif
        data = 2;
    }
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, NULL);
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
