// precise: SUCCESSFUL
// precise: SUCCESSFUL -DGLOBAL
// known gap: SUCCESSFUL -DDOWNWARDS --timeout 5
// precise: FAILED -DGLOBAL -DFIRST=1
// However many threads: each is joined, so that each has counted when main looks. Where the first is left out it may not
// have.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef FIRST
#define FIRST 0
#endif

extern int nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
#ifdef GLOBAL
static pthread_t threads[1000];
#endif

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int n = nondet_int(), started = 0;

#ifdef GLOBAL
    if (n < 1 || n > 1000)
        return 0;
#else
    if (n <= 0)
        return 0;
    pthread_t *threads = malloc(n * sizeof *threads);
    if (!threads)
        return 0;
#endif
    while (started < n && pthread_create(&threads[started], NULL, worker, NULL) == 0)
        started++;
#ifdef DOWNWARDS
    for (int i = started - 1; i >= FIRST; i--)
#else
    for (int i = FIRST; i < started; i++)
#endif
        pthread_join(threads[i], NULL);
    assert(done == started);
    return 0;
}
