// precise: SUCCESSFUL
// What `raise` sends is handled before it returns.
#include <assert.h>
#include <signal.h>

volatile sig_atomic_t seen;

void handler(int number) {
    seen = number;
}

int main(void) {
    signal(SIGUSR1, handler);
    assert(raise(SIGUSR1) == 0);
    assert(seen == SIGUSR1);
}
