// No fence is needed where nobody sees that a store waits, also in a loop that lets any number of stores wait.
// RUN: sapa fences --mm tso %s
// RUN: sapa fences --mm tso --json %s | grep -o '"buffers":"robust"'
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
