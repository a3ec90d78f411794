// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Workers try again and again and succeed now and then: in each round successes grow by no more than tries. Who has the board
// has it by an exchange that told so by an error number.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int tried, succeeded;
pthread_mutex_t board = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *unused)
{
    for (;;) {
        int goes = 0;
        if (pthread_mutex_trylock(&board) == EBUSY)
            continue;
        if (tried < 5000) {
            tried++;
            goes = 1;
        }
        pthread_mutex_unlock(&board);
        if (goes && __VERIFIER_nondet_int())
            succeeded++;
#ifdef BROKEN
        succeeded++;
#endif
    }
    return unused;
}

void *reader(void *unused)
{
    int successes = succeeded;
    assert(successes <= tried);
    return unused;
}

int main(void)
{
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
        pthread_create(&thread, NULL, reader, NULL);
    }
}
