// precise: SUCCESSFUL
// precise: FAILED -DCOUNTED
// NOTE signals that the program handles come at any time: assuming that handlers use nothing of the interrupted thread's own (errno, thread-local objects, locks that it holds), and that none is interrupted by its own signal
// The handler runs as a whole between any two accesses of the only thread, or not at all.
#include <assert.h>
#include <signal.h>
#include <string.h>

volatile sig_atomic_t stop, also;
volatile int ticks;

void on_interrupt(int number) {
    assert(number == SIGINT);
    stop = 1;
    ticks = ticks + 1;
    also = 1;
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, 0) < 0)
        return 1;
#ifdef COUNTED
    int before = ticks;
    ticks = ticks + 1;
    assert(ticks > before);
    assert(!stop);
#endif
    assert(stop == also || also);
    int stopped = stop;
    if (stopped)
        assert(also);
}
