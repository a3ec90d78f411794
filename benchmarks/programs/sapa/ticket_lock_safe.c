/* Ticket lock, safe. SAPA section 5, after Mellor-Crummey and Scott (1991).
 *
 * Threads: any number take the lock.
 * Assertion: nobody else is in the critical section.
 * A thread lives on after its turn, so that there are as many tickets as threads:
 * without a bound on threads the counters would wrap around and the lock fail.
 *
 *     sapa check ticket_lock_safe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

unsigned next_ticket = 0;
unsigned now_serving = 0;
int inside = 0;

void *worker(void *arg)
{
    unsigned mine = __sync_fetch_and_add(&next_ticket, 1);

    while (now_serving != mine) {
    }
    assert(inside == 0);
    inside = 1;
    inside = 0;
    now_serving = mine + 1;
    while (1) {
    }
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
