// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DRELAXED
// The program's own atomic sections order what is before one and behind a later one, also beside flags that order nothing.
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int data, is_done;
static atomic_int flag;

static void *writer(void *unused) {
    data = 1;
    __VERIFIER_atomic_begin();
    is_done = 1;
    __VERIFIER_atomic_end();
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
#ifdef RELAXED
    int seen = atomic_load_explicit(&flag, memory_order_relaxed);
#else
    __VERIFIER_atomic_begin();
    int seen = is_done;
    __VERIFIER_atomic_end();
#endif
    if (seen)
        data = 2;
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        seen = 2;
    pthread_join(thread, NULL);
    return seen;
}
