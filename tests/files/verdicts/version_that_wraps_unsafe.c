// precise: FAILED --threads 2
// A version of eight bits wraps: it does not only grow.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uchar version = 254;

static void *publish(void *unused) {
    atomic_fetch_add(&version, 1);
    atomic_fetch_add(&version, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    unsigned char first = atomic_load(&version);
    unsigned char second = atomic_load(&version);
    assert(first <= second);
    return 0;
}
