// precise: FAILED
// The handler may run between the read and the write of the counter; the timer's signal need not come late.
#include <assert.h>
#include <signal.h>
#include <unistd.h>

volatile int counter, fired;

void tick(int number) {
    counter = counter + 1;
    fired = 1;
}

int main(void) {
    signal(SIGALRM, tick);
    alarm(1);
    counter = counter + 1;
    signal(SIGALRM, SIG_IGN);
    assert(counter == 1 + fired);
}
