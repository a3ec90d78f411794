/* R, a store race decided before a load.
 *
 * The second thread stores last to y, and does not see x.
 *
 *     sapa check r.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;
int __unbuffered_r0;

void *first(void *arg)
{
    STORE(0, x, 1);
    FENCE(0);
    STORE(1, y, 1);
    return 0;
}

void *second(void *arg)
{
    STORE(2, y, 2);
    FENCE(1);
    LOAD(0, __unbuffered_r0, x);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(y == 2 && __unbuffered_r0 == 0));
}
