// A table is initialised by pthread_once from three threads, each of which reads it.
//
// Safe: the initialisation runs once and is over when pthread_once returns, so everybody reads a filled table.
// Broken: a plain flag is tested and set instead, and two threads may both initialise.
#include <assert.h>
#include <pthread.h>

#define THREADS 3

static int table[3];
static int initialisations;

static void initialise(void)
{
    initialisations++;
    for (int i = 0; i < 3; i++)
        table[i] += i + 1;
}

#ifdef BROKEN
static int done;

static void once(void)
{
    if (!done) {
        done = 1;
        initialise();
    }
}
#else
static pthread_once_t control = PTHREAD_ONCE_INIT;

static void once(void)
{
    pthread_once(&control, initialise);
}
#endif

static void *use(void *arg)
{
    (void)arg;
    once();
    assert(table[0] + table[1] + table[2] == 6);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(initialisations == 1);
    return 0;
}
