// precise: SUCCESSFUL --signed-overflow absent
// precise: FAILED -DBROKEN --threads 3 --signed-overflow absent
// No step makes the version smaller, so that what was read of it is at most what is there later. Broken, one step
// makes it smaller, if only where it is 3.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define BEHIND(version) ((version) == 3 ? 1 : (version) + 3)
#else
#define BEHIND(version) ((version) + 3)
#endif
extern int any(void);
static atomic_int version;

static void *publish(void *unused) {
    int seen = atomic_load(&version);
    atomic_compare_exchange_strong(&version, &seen, BEHIND(seen));
    return 0;
}

static void *follow(void *unused) {
    int first = atomic_load(&version);
    if (any()) any();
    int second = atomic_load(&version);
    int third = atomic_load(&version);
    assert(first <= second);
    assert(second <= third);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (any()) {
        pthread_create(&thread, 0, publish, 0);
        pthread_create(&thread, 0, follow, 0);
    }
    return 0;
}
