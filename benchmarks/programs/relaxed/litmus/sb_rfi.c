/* SB with own reads.
 *
 * Each thread sees its own store, and not the other's.
 *
 *     sapa check sb_rfi.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;
int __unbuffered_r0, __unbuffered_r1, __unbuffered_r2, __unbuffered_r3;

void *first(void *arg)
{
    STORE(0, x, 1);
    LOAD(0, __unbuffered_r0, x);
    FENCE(0);
    LOAD(1, __unbuffered_r1, y);
    return 0;
}

void *second(void *arg)
{
    STORE(1, y, 1);
    LOAD(2, __unbuffered_r2, y);
    FENCE(1);
    LOAD(3, __unbuffered_r3, x);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(__unbuffered_r0 == 1 && __unbuffered_r1 == 0 && __unbuffered_r2 == 1 && __unbuffered_r3 == 0));
}
