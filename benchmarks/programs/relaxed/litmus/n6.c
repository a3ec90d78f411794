/* n6. After Sewell et al.: x86-TSO: a rigorous and usable programmer's model for x86 multiprocessors (2010)
 *
 * The first thread sees its store, which is the last to x, and does not see y, which the second stored before x.
 *
 *     sapa check n6.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;
int __unbuffered_r0, __unbuffered_r1;

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
    STORE(1, y, 2);
    FENCE(1);
    STORE(2, x, 2);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(__unbuffered_r0 == 1 && __unbuffered_r1 == 0 && x == 1));
}
