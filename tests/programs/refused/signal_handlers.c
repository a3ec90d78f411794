// covers: signals
// error: signal handlers are not supported
#include <signal.h>

void handler(int n)
{
}

int main(void)
{
    signal(SIGINT, handler);
    return 0;
}
