/* Initialisation once, safe. After the POSIX function pthread_once
 *
 * Assertion: the initialisation has ended when the function returns.
 *
 *     sapa check once_safe.c
 */
#include <assert.h>
#include <pthread.h>

int state = 0;
int value = 0;

void *worker(void *arg)
{
    if (__sync_bool_compare_and_swap(&state, 0, 1)) {
        value = 7;
        state = 2;
    }
    while (state != 2) {
    }
    assert(value == 7);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
