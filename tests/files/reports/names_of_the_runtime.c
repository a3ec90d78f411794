// A program with names of the system for something else, and macros with words of what forces its run.
// precise: FAILED
#include <assert.h>
#include <pthread.h>
#define size 4
#define line 7
#define act(x) (x)

int signal, pause, alarm, buffer[size];

void *other(void *argument)
{
    int old = signal;
    buffer[old] = line;
    signal = act(old + 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, other, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(signal + pause + alarm == 2);
}
