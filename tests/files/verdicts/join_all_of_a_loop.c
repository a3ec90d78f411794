// precise: SUCCESSFUL
// known gap: SUCCESSFUL -DDOWNWARDS --timeout 5
// However many threads: each is joined, so that each has counted when main looks. The handles stand in an array
// whose length is not known.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

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
    pthread_t *threads;

    if (n <= 0)
        return 0;
    threads = malloc(n * sizeof *threads);
    if (!threads)
        return 0;
    while (started < n && pthread_create(&threads[started], NULL, worker, NULL) == 0)
        started++;
#ifdef DOWNWARDS
    for (int i = started - 1; i >= 0; i--)
#else
    for (int i = 0; i < started; i++)
#endif
        pthread_join(threads[i], NULL);
    assert(done == started);
    free(threads);
    return 0;
}
