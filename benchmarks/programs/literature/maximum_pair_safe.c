/* Greatest ticket so far, safe. After Lamport: Concurrent reading and writing (1977)
 *
 * Assertion: the greatest is at least what the thread has put in.
 *
 *     sapa check maximum_pair_safe.c
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned greatest = 0;

unsigned __VERIFIER_nondet_uint(void);

void *worker(void *arg)
{
    unsigned mine = __VERIFIER_nondet_uint();

    pthread_mutex_lock(&m);
    if (mine > greatest)
        greatest = mine;
    pthread_mutex_unlock(&m);
    assert(greatest >= mine);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
