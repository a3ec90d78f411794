/* Ticket lock, unsafe. SAPA section 5, after Mellor-Crummey and Scott (1991).
 *
 * Threads: 2 suffice (the paper's version needs 3).
 * Assertion: nobody else is in the critical section.
 * Bug: a ticket is drawn in two steps, so that two threads may get the same.
 * Tickets wrap around: at most 2^32 - 1 threads may wait at a time; the check
 * below ends the run of a thread that would draw a ticket beyond that.
 *
 *     sapa check ticket_lock_unsafe.c --threads 3
 */
#include <assert.h>
#include <pthread.h>

unsigned next_ticket = 0;
unsigned now_serving = 0;
int inside = 0;

void *worker(void *arg)
{
    unsigned mine = next_ticket;

    next_ticket = mine + 1;
    if (mine == 0u - 1u)
        return 0;
    while (now_serving != mine) {
    }
    assert(inside == 0);
    inside = 1;
    inside = 0;
    now_serving = mine + 1;
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
