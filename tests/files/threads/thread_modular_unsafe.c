// A failure that thread-visible states do not exclude comes with a run, which is replayed.
// RUN: sapa check %s --engine thread-modular; sapa check %s --engine thread-modular --json
// EXIT: 10
// check: any number of threads (the failing run has 2 besides the initial one), sequential consistency
// nextln: VERIFICATION FAILED
// check: "decided_by":"trace of the abstraction (thread states)","threads":{"asked":"unbounded","holds_for":"unbounded","in_trace":2}
#include <assert.h>
#include <pthread.h>

int turn = 3;

void *worker(void *argument)
{
    int mine = turn;
    turn = mine - 1;
    assert(mine != 2 || turn == 1);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, 0, worker, 0);
}
