/* Transfer between two accounts, safe. After Flanagan and Qadeer: A type and effect system for atomicity (2003)
 *
 * Assertion: the sum stays the same.
 *
 *     sapa check two_locks_safe.c
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int from = 1;
int to = 0;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    if (from == 1) {
        from = 0;
        to = 1;
    } else {
        from = 1;
        to = 0;
    }
    assert(from + to == 1);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
