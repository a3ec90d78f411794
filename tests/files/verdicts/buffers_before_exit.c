// precise: SUCCESSFUL/FAILED/FAILED
// What waits may reach memory before the program ends, while the other thread is in the middle of its work.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x, y, done;

void *first(void *arg)
{
    x = 1;
    if (y == 0) {
        done = 1;
        exit(0);
    }
    return 0;
}

void *second(void *arg)
{
    y = 1;
    if (x == 0 && done)
        assert(0);
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
