/* 2+2W, two store races.
 *
 * Each thread's first store is the last of its object.
 *
 *     sapa check 2_plus_2w.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;

void *first(void *arg)
{
    STORE(0, x, 1);
    FENCE(0);
    STORE(1, y, 2);
    return 0;
}

void *second(void *arg)
{
    STORE(2, y, 1);
    FENCE(1);
    STORE(3, x, 2);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(x == 1 && y == 1));
}
