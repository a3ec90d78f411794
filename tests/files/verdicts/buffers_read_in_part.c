// precise: SUCCESSFUL/FAILED/FAILED
// A load of a part of a store that waits reads that part: it does not wait, and nor does what is behind it.
#include <assert.h>
#include <pthread.h>

union {
    int whole;
    char part[4];
} u;
int y, a, b, r;

void *first(void *arg)
{
    u.whole = 0x20100;
    r = u.part[1] + u.part[2];
    a = y;
    return 0;
}

void *second(void *arg)
{
    y = 1;
    __sync_synchronize();
    b = u.whole;
    return 0;
}

int main(void)
{
    pthread_t t, v;
    pthread_create(&t, 0, first, 0);
    pthread_create(&v, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(v, 0);
    assert(a || b || r != 3);
    return 0;
}
