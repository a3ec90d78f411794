// precise: FAILED --threads 0
// Who may not choose how threads are scheduled gets an error.
#include <pthread.h>

int main(void) {
    struct sched_param priority = {.sched_priority = 1};
    __CPROVER_assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0, "allowed");
}
