// A log: it is written, flushed and committed up to positions that follow one another; each is moved by atomic operations.
//
// Safe: who flushes goes to where was written, who commits to where was flushed. -DANY: any number of writers.
// Broken: who commits goes to where was written.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);

atomic_uint written, flushed, committed;

void *writer(void *unused)
{
    for (;;) {
        unsigned at = written;
        if (at < 1000000000 && !atomic_compare_exchange_strong(&written, &at, at + 16))
            continue;
    }
    return unused;
}

void *flusher(void *unused)
{
    for (;;)
        flushed = written;
    return unused;
}

void *committer(void *unused)
{
    for (;;) {
#ifdef BROKEN
        committed = written;
#else
        committed = flushed;
#endif
        unsigned c = committed;
        unsigned f = flushed;
        assert(c <= f);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, flusher, 0);
    pthread_create(&thread, 0, committer, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, writer, 0);
    return 0;
}
