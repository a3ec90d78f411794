// precise: FAILED --threads 2
// Writers do not look whether the version is odd: two are in at once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int any(void);
static atomic_uint version;
static int left, right;

static void *write(void *unused) {
    unsigned seen;
    do {
        seen = atomic_load(&version);
    } while (!atomic_compare_exchange_strong(&version, &seen, seen + 1));
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
