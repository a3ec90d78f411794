// That only the first worker enters is a matter of how many threads are where. With as many threads
// as were asked for, all states are looked at.
// RUN: sapa check %s --engine thread-modular --threads 3 --atomicity statement
// check: at most 3 threads besides the initial one (by explicit), sequential consistency
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>

int entered, inside;

void *worker(void *argument)
{
    if (!__sync_lock_test_and_set(&entered, 1)) {
        inside = 1;
        assert(inside == 1);
        inside = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, 0, worker, 0);
}
