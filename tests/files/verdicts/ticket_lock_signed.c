// precise: SUCCESSFUL/SUCCESSFUL/FAILED --signed-overflow absent
// precise: INCONCLUSIVE --signed-overflow wrap --iterations 2
// A ticket is nobody else's, and below the next one: what relates two threads has predicates of its own. Under PSO
// the lock may be given back before the section is left. Tickets that wrap are not unique.
#include <assert.h>
#include <pthread.h>

int next_ticket, now_serving, inside;

void *worker(void *argument)
{
    int mine = __sync_fetch_and_add(&next_ticket, 1);
    while (now_serving != mine) {
    }
    assert(!inside);
    inside = 1;
    inside = 0;
    now_serving = mine + 1;
    for (;;) {
    }
}

int main(void)
{
    pthread_t t;
    for (;;)
        pthread_create(&t, 0, worker, 0);
}
