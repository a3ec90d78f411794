// Nothing bounds what may wait: each number of stores is looked at, up to some. Main may see that x waits
// while y is read.
// RUN: sapa check --mm tso %s 2>&1
// RUN: sapa check --mm tso --buffer-bound 2 -q %s 2>&1
// RUN: sapa-cc %s | sapa-opt -p default,tso - 2>&1 || echo "exit $?"
#include <assert.h>
#include <pthread.h>

int x, y;

void *writer(void *arg)
{
    for (;;) {
        x = 1;
        if (y != 2)
            y = 2;
    }
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    y = 1;
    assert(x < 2);
    return 0;
}
