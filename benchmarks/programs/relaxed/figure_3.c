/* CUPEX Fig. 3: abstraction that does not know of buffers proves it, although it fails under TSO and PSO.
 *
 * With statements that are one step the second that is executed sees the other's variable, and its own becomes larger.
 * Where stores wait, both become 1, whatever fences there are behind them.
 *
 *     sapa check figure_3.c --threads 2 --atomicity statement
 */
#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;

void *first(void *arg)
{
    x = y + 1;
    FENCE(0);
    return 0;
}

void *second(void *arg)
{
    y = x + 1;
    FENCE(1);
    assert(x != y);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
