// precise: SUCCESSFUL/FAILED/FAILED
// A thread that goes round a loop for ever empties its buffer, also where the loop has two ways in.
#include <assert.h>
#include <pthread.h>

int any(void);
int x, y, done;

void *first(void *arg)
{
    int i = 0;
    x = 1;
    if (y == 0) {
        done = 1;
        if (any())
            goto other;
    one:
        i = any();
    other:
        i = i + 1;
        goto one;
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
    return 0;
}
