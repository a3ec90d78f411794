/* WRC, write to read causality.
 *
 * A store is seen by one thread, and not by a third that knows of that.
 *
 *     sapa check wrc.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;
int __unbuffered_r0, __unbuffered_r1, __unbuffered_r2;

void *first(void *arg)
{
    STORE(0, x, 1);
    return 0;
}

void *second(void *arg)
{
    LOAD(0, __unbuffered_r0, x);
    FENCE(0);
    STORE(1, y, 1);
    return 0;
}

void *third(void *arg)
{
    LOAD(1, __unbuffered_r1, y);
    FENCE(1);
    LOAD(2, __unbuffered_r2, x);
    return 0;
}

int main(void)
{
    pthread_t t0, t1, t2;

    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_create(&t2, 0, third, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(__unbuffered_r0 == 1 && __unbuffered_r1 == 1 && __unbuffered_r2 == 0));
}
