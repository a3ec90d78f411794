/* Users say that they have come and see whether it is closed; who closes sees whether somebody has come. After Dekker's
 * algorithm in Dijkstra: Over de sequentialiteit van procesbeschrijvingen (1962)
 *
 * Threads: any number use it or close it.
 * Assertion: nobody uses what is destroyed.
 * -DEARLY: users look before they say that they have come.
 * -DPLAIN_USE, -DPLAIN_CLOSE: no fence between a user's store and load, or those of who closes; then the load can come before
 * the store, under TSO too.
 *
 *     sapa check closing.c
 */
#include <assert.h>
#include <pthread.h>

int has_come = 0, closed = 0;
int __unbuffered_destroyed = 0;

int __VERIFIER_nondet_int(void);

static void use(void)
{
    int seen;

#ifdef EARLY
    seen = closed;
    has_come = 1;
#else
    has_come = 1;
#ifndef PLAIN_USE
    __sync_synchronize();
#endif
    seen = closed;
#endif
    if (!seen)
        assert(!__unbuffered_destroyed);
}

static void close_it(void)
{
    closed = 1;
#ifndef PLAIN_CLOSE
    __sync_synchronize();
#endif
    if (!has_come)
        __unbuffered_destroyed = 1;
}

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int() % 2)
        use();
    else
        close_it();
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
