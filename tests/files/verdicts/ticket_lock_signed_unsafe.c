// precise: FAILED --signed-overflow absent
// precise: FAILED --signed-overflow absent -DEARLY
// Tickets are drawn in two steps, or the lock is given back before the section.
#include <assert.h>
#include <pthread.h>

int next_ticket, now_serving, inside;

void *worker(void *argument)
{
#ifdef EARLY
    int mine = __sync_fetch_and_add(&next_ticket, 1);
#else
    int mine = next_ticket++;
#endif
    while (now_serving != mine) {
    }
#ifdef EARLY
    now_serving = mine + 1;
#endif
    inside++;
    assert(inside == 1);
    inside--;
#ifndef EARLY
    now_serving = mine + 1;
#endif
    return 0;
}

int main(void)
{
    pthread_t t;
    for (;;)
        pthread_create(&t, 0, worker, 0);
}
