// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Workers try again and again and succeed now and then: in each round successes grow by no more than tries. And who holds a place
// has it by an exchange that told so by an error number.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int tried, succeeded;
pthread_mutex_t board = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *unused)
{
    for (;;) {
        if (pthread_mutex_trylock(&board) == EBUSY)
            continue;
        if (tried < 5000) {
            tried++;
            if (__VERIFIER_nondet_int())
                succeeded++;
#ifdef BROKEN
            succeeded++;
#endif
        }
        pthread_mutex_unlock(&board);
    }
    return unused;
}

void *reader(void *unused)
{
    pthread_mutex_lock(&board);
    assert(succeeded <= tried && tried <= 5000);
    pthread_mutex_unlock(&board);
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
