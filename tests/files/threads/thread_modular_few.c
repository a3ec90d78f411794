// That one worker is there at a time, which starts the next one, is a matter of how many threads are where. With as
// many threads as were asked for, all states are looked at.
// RUN: sapa check %s --passes 'inline,lower-sync,mem2reg,constant-propagation' --engine thread-modular --threads 3 --atomicity statement
// check: at most 3 threads besides the initial one (by explicit), sequential consistency
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>

int inside;

void *worker(void *argument)
{
    pthread_t next;
    inside = 1;
    assert(inside == 1);
    inside = 0;
    pthread_create(&next, 0, worker, 0);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    return 0;
}
