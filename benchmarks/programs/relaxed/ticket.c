/* The ticket lock for two threads. After Andrews: Concurrent programming: principles and practice (1991)
 *
 * Assertion: what the holder writes is not changed by the other while it holds the lock.
 *
 *     sapa check ticket.c --threads 2
 */
#include "fences.h"
#include <assert.h>
#include <pthread.h>

int next_ticket = 0, now_serving = 0;
int owner = 0;

void *first(void *arg)
{
    while (1) {
        int mine = __sync_fetch_and_add(&next_ticket, 1);

        while (now_serving != mine) {
        }
        owner = 1;
        FENCE(0);
        assert(owner == 1);
        now_serving = mine + 1;
        FENCE(1);
    }
}

void *second(void *arg)
{
    while (1) {
        int mine = __sync_fetch_and_add(&next_ticket, 1);

        while (now_serving != mine) {
        }
        owner = 2;
        FENCE(2);
        assert(owner == 2);
        now_serving = mine + 1;
        FENCE(3);
    }
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
