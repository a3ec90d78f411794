// sound: SUCCESSFUL/FAILED/FAILED
// A structure of the thread's own is copied while a store through a pointer to it may wait.
#include <assert.h>
#include <pthread.h>

int any(void);
int x, y, z, a, b, v;
struct pair {
    int p, q;
};

void *first(void *arg)
{
    struct pair one = {0, 0}, two;
    int *p = any() ? &one.p : &z;
    x = 1;
    *p = 1;
    two = one;
    v = two.p;
    a = y;
    return 0;
}

void *second(void *arg)
{
    y = 1;
    b = x;
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(a || b || v == 0);
    return 0;
}
