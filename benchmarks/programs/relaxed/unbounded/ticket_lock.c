/* Ticket lock with signed tickets. After Mellor-Crummey and Scott: Algorithms for scalable synchronization (1991)
 *
 * Threads: two take the lock again and again.
 * Assertion: what the holder writes is not changed by the other while it holds the lock.
 * -DEARLY: the next ticket is served before the holder has read.
 * -DPLAIN: the next ticket is served by a plain store, which under PSO can come before what the holder wrote.
 *
 *     sapa check ticket_lock.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int next_ticket = 0, now_serving = 0;
int owner_ticket = 0;

static void serve(int ticket)
{
#ifdef PLAIN
    now_serving = ticket;
#else
    __atomic_store_n(&now_serving, ticket, __ATOMIC_RELEASE);
#endif
}

void *worker(void *arg)
{
    int mine = __atomic_fetch_add(&next_ticket, 1, __ATOMIC_RELAXED), seen;

    while (__atomic_load_n(&now_serving, __ATOMIC_ACQUIRE) != mine) {
    }
    owner_ticket = mine;
#ifdef EARLY
    serve(mine + 1);
    seen = owner_ticket;
#else
    seen = owner_ticket;
    serve(mine + 1);
#endif
    assert(seen == mine);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
