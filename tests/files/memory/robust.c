// Nobody sees that a store waits: what holds under sequential consistency holds for buffers of any size, also in a loop
// without a fence. Under PSO the flag may reach memory before the message.
// RUN: sapa check --mm tso %s
// RUN: sapa check --mm tso --buffer-bound 1 %s
// RUN: sapa check --mm tso --json %s | grep -o '"memory_model.*robust"'
// RUN: sapa check --mm pso -q %s || echo "exit $?"
#include <assert.h>
#include <pthread.h>

int message, flag;

void *sender(void *arg)
{
    for (;;) {
        message = 1;
        flag = 1;
    }
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    if (flag)
        assert(message);
    return 0;
}
