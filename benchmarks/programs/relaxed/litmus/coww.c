/* CoWW, coherence of two stores.
 *
 * The first store is the last.
 *
 *     sapa check coww.c
 */
#include "litmus.h"
#include <assert.h>
#include <pthread.h>

int x = 0;

void *first(void *arg)
{
    STORE(0, x, 1);
    FENCE(0);
    STORE(1, x, 2);
    return 0;
}

int main(void)
{
    pthread_t t0;

    pthread_create(&t0, 0, first, 0);
    pthread_join(t0, 0);
    assert(!(x == 1));
}
