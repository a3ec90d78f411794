// A writer knows that the version in memory is the one that it has made odd; a reader, that the version that it has read is at
// most what is there.
// RUN: sapa-cc --signed-overflow absent %s | sapa-opt -p default | grep -E '^invariant.*@(write bb.* eq.load.i32, .version.|read bb.* s?u?le.@read%[0-9]*, load.i32, .version.)'
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

extern int any(void);
static atomic_int version;
static atomic_int data;

static void *write(void *unused) {
    int seen;
    do {
        seen = atomic_load(&version);
    } while ((seen & 1) || !atomic_compare_exchange_strong(&version, &seen, seen + 1));
    atomic_store(&data, any());
    atomic_store(&version, seen + 2);
    return 0;
}

static void *read(void *unused) {
    int seen = atomic_load(&version);
    int found = atomic_load(&data);
    if (atomic_load(&version) == seen) assert(found >= 0 || found < 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (any()) {
        pthread_create(&thread, 0, write, 0);
        pthread_create(&thread, 0, read, 0);
    }
    return 0;
}
