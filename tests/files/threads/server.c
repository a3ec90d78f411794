// A server after BOPPO section 5: what it starts with is not locked, and its workers lock without end. That nobody else
// is there at first (Remark 1) and that two do not hold one mutex (2d) prove it thread by thread.
// RUN: sapa check %s --passes 'inline,lower-sync,mem2reg,constant-propagation' --engine thread-modular
// RUN: grep -v pthread_mutex_ %s | sapa check - --passes 'inline,lower-sync,mem2reg,constant-propagation' --engine thread-modular 2>&1 | tail -1
// check: any number of threads (by thread states), sequential consistency
// nextln: VERIFICATION SUCCESSFUL
// nextln: VERIFICATION FAILED
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock;
int first, second;
int *current, *served;

void *worker(void *argument)
{
    while (1) {
        pthread_mutex_lock(&lock);
        current = current == &first ? &second : &first;
        served = current;
        assert(served == current);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_init(&lock, 0);
    current = &first;
    assert(current == &first);
    served = &first;
    while (1)
        pthread_create(&thread, 0, worker, 0);
}
