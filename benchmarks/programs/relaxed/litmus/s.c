/* S, a load that decides a store race.
 *
 * The second thread sees the store to y, and its store to x comes before the one that is before that.
 *
 *     sapa check s.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;
int __unbuffered_r0;

void *first(void *arg)
{
    STORE(0, x, 2);
    FENCE(0);
    STORE(1, y, 1);
    return 0;
}

void *second(void *arg)
{
    LOAD(0, __unbuffered_r0, y);
    FENCE(1);
    STORE(2, x, 1);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(__unbuffered_r0 == 1 && x == 2));
}
