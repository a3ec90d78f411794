// Under PSO the flag must not reach memory before the data, under TSO it never does. The trace shows how it would.
// RUN: cd %d && sapa fences --mm tso message_passing.c
// RUN: cd %d && sapa fences --mm pso -v message_passing.c 2>/dev/null
#include <assert.h>
#include <pthread.h>

int data, ready;

void *sender(void *arg)
{
    data = 42;
    ready = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    if (ready)
        assert(data == 42);
    return 0;
}
