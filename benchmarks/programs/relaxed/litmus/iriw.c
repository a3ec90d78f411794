/* IRIW, independent reads of independent writes.
 *
 * The readers see the two stores in different orders.
 *
 *     sapa check iriw.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;
int __unbuffered_r0, __unbuffered_r1, __unbuffered_r2, __unbuffered_r3;

void *first(void *arg)
{
    STORE(0, x, 1);
    return 0;
}

void *second(void *arg)
{
    STORE(1, y, 1);
    return 0;
}

void *third(void *arg)
{
    LOAD(0, __unbuffered_r0, x);
    FENCE(0);
    LOAD(1, __unbuffered_r1, y);
    return 0;
}

void *fourth(void *arg)
{
    LOAD(2, __unbuffered_r2, y);
    FENCE(1);
    LOAD(3, __unbuffered_r3, x);
    return 0;
}

int main(void)
{
    pthread_t t0, t1, t2, t3;

    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_create(&t2, 0, third, 0);
    pthread_create(&t3, 0, fourth, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    assert(!(__unbuffered_r0 == 1 && __unbuffered_r1 == 0 && __unbuffered_r2 == 1 && __unbuffered_r3 == 0));
}
