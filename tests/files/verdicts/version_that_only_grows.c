// precise: SUCCESSFUL --signed-overflow absent
// No step makes the version smaller, so that what was read of it is at most what is there later.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int any(void);
static atomic_int version;

static void *publish(void *unused) {
    int seen = atomic_load(&version);
    atomic_compare_exchange_strong(&version, &seen, seen + 3);
    return 0;
}

static void *follow(void *unused) {
    int first = atomic_load(&version);
    if (any()) any();
    int second = atomic_load(&version);
    int third = atomic_load(&version);
    assert(first <= second && second <= third);
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
