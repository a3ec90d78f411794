// precise: FAILED --threads 3
// Somebody who does not hold the lock in the low bit makes it free while another one holds it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int any(void);
static atomic_uint word;
static int inside;

static void *work(void *unused) {
    unsigned seen = atomic_load(&word);
    if ((seen & 1) || !atomic_compare_exchange_strong(&word, &seen, seen + 1)) return 0;
    assert(inside == 0);
    inside = 1;
    inside = 0;
    atomic_store(&word, seen + 2);
    return 0;
}

static void *steal(void *unused) {
    atomic_fetch_add(&word, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, steal, 0);
    while (any()) pthread_create(&thread, 0, work, 0);
    return 0;
}
