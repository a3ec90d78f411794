// precise: SUCCESSFUL
// Who has finished has started before, by a compare-and-exchange that leaves room; so neither counter comes round, and
// `finished`, read first, is at most `started`.
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

extern int nondet_int(void);

static atomic_uint started, finished;

static void *job(void *unused)
{
    unsigned n = atomic_load(&started);

    do {
        if (n == UINT_MAX)
            return unused;
    } while (!atomic_compare_exchange_weak(&started, &n, n + 1));
    atomic_fetch_add(&finished, 1);
    return unused;
}

int main(void)
{
    pthread_t t;

    for (;;) {
        if (nondet_int()) {
            pthread_create(&t, NULL, job, NULL);
        } else {
            unsigned f = atomic_load(&finished);
            assert(f <= atomic_load(&started));
        }
    }
}
