// covers: signals
// expect: successful
// threads: 1
#include <assert.h>
#include <signal.h>

volatile sig_atomic_t stop;

void on_interrupt(int number)
{
    stop = number;
}

int main(void)
{
    signal(SIGINT, on_interrupt);
    int seen = stop;
    assert(!seen || seen == SIGINT);
    assert(!seen || stop);
    return 0;
}
