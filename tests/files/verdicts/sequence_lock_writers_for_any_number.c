// precise: SUCCESSFUL
// precise: FAILED -DBROKEN --threads 2
// Writers make the version odd by a compare-and-swap, and even again when they are done: its low bit is a lock, which guards
// both numbers, so that one writer finds what another has left.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int any(void);
#ifdef BROKEN
#define IS_TAKEN(version) 0
#else
#define IS_TAKEN(version) ((version) & 1)
#endif
static atomic_uint version;
static int left, right;

static void *write(void *unused) {
    unsigned seen;
    do {
        seen = atomic_load(&version);
    } while (IS_TAKEN(seen) || !atomic_compare_exchange_strong(&version, &seen, seen + 1));
    int by = any();
    left += by;
    right -= by;
    assert(left + right == 0);
    assert(atomic_load(&version) == seen + 1);
    atomic_store(&version, seen + 2);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (any()) pthread_create(&thread, 0, write, 0);
    return 0;
}
