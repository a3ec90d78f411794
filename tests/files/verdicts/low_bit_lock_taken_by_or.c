// precise: SUCCESSFUL
// precise: FAILED -DBROKEN --threads 2
// The low bit of a word locks it, and the rest of it is data that is guarded. Broken, another bit is looked at.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define LOCKED 2
#else
#define LOCKED 1
#endif
extern int any(void);
static atomic_uint word;
static int inside;

static void *work(void *unused) {
    while (atomic_fetch_or(&word, 1) & LOCKED) {
    }
    assert(inside == 0);
    inside = 1;
    unsigned data = atomic_load(&word);
    assert(data & 1);
    inside = 0;
    atomic_store(&word, (data & ~1u) + 2);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (any()) pthread_create(&thread, 0, work, 0);
    return 0;
}
