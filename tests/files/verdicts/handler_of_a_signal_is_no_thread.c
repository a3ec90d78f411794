// precise: SUCCESSFUL --property races
// A handler that interrupts the only thread does not race with it.
#include <signal.h>

volatile sig_atomic_t stop;

void on_interrupt(int number) {
    stop = 1;
}

int main(void) {
    int rounds = 0;
    signal(SIGINT, on_interrupt);
    while (!stop && rounds < 3)
        rounds++;
    return rounds;
}
