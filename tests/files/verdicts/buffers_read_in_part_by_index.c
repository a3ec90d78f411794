// precise: SUCCESSFUL/FAILED/FAILED
// The part of a waiting store that a load reads is known when it is executed.
#include <assert.h>
#include <pthread.h>

int any(void);
union {
    int whole;
    char part[4];
} u;
int y, a, b, r;

void *first(void *arg)
{
    int i = any() ? 1 : 2;
    u.whole = 0x20100;
    r = u.part[i] - i;
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
    assert(r == 0);
    assert(a || b);
    return 0;
}
