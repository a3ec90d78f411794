/* SB, store buffering.
 *
 * Both loads come before both stores.
 *
 *     sapa check sb.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;
int __unbuffered_r0, __unbuffered_r1;

void *first(void *arg)
{
    STORE(0, x, 1);
    FENCE(0);
    LOAD(0, __unbuffered_r0, y);
    return 0;
}

void *second(void *arg)
{
    STORE(1, y, 1);
    FENCE(1);
    LOAD(1, __unbuffered_r1, x);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(__unbuffered_r0 == 0 && __unbuffered_r1 == 0));
}
