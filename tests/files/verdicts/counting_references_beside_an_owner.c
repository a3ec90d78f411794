// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// The owner's reference is dropped by whoever takes the flag, others take one from those that are there: references less the flag
// are a sum over threads, by what the exchanges did.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int references = 1, owned = 1;
int is_freed;

void drop(void)
{
    if (atomic_fetch_sub(&references, 1) == 1)
        is_freed = 1;
}

void *user(void *unused)
{
    int seen = atomic_load(&references);
    while (seen > 0 && seen < 100) {
        if (atomic_compare_exchange_weak(&references, &seen, seen + 1)) {
            assert(!is_freed);
            drop();
            break;
        }
    }
    return unused;
}

void *closer(void *unused)
{
#ifdef BROKEN
    if (atomic_load(&owned) == 1) {
        atomic_store(&owned, 0);
        drop();
    }
#else
    if (atomic_exchange(&owned, 0) == 1)
        drop();
#endif
    return unused;
}

int main(void)
{
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, user, NULL);
        pthread_create(&thread, NULL, closer, NULL);
    }
}
