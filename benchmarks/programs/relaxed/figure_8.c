/* CUPEX Fig. 8: a thread sees the last of its own stores.
 *
 * The paper's fence is the one behind the load.
 *
 *     sapa check figure_8.c --threads 1
 */
#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x;

void *thread(void *arg)
{
    int seen;

    x = 0;
    FENCE(0);
    x = 1;
    FENCE(1);
    seen = x;
    FENCE(2);
    assert(x == seen);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, thread, 0);
}
