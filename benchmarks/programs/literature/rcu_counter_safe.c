/* Reference count before release, safe. After McKenney and Slingwine: Read-copy update (1998)
 *
 * Assertion: nobody reads what was released.
 *
 *     sapa check rcu_counter_safe.c
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int readers = 0;
int released = 0;

int __VERIFIER_nondet_int(void);

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int()) {
        int mine = 0;

        pthread_mutex_lock(&m);
        if (!released && readers < 1000) {
            readers++;
            mine = 1;
        }
        pthread_mutex_unlock(&m);
        if (mine) {
            pthread_mutex_lock(&m);
            assert(readers > 0);
            readers--;
            pthread_mutex_unlock(&m);
        }
    } else {
        pthread_mutex_lock(&m);
        if (readers == 0)
            released = 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
