#include <assert.h>
#include <pthread.h>

int x, y;
int seen_x, seen_y;

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() (void)0
#endif

void *left(void *unused)
{
    x = 1;
    fence();
    seen_y = y;
    return 0;
}

void *right(void *unused)
{
    y = 1;
    fence();
    seen_x = x;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen_x == 1 || seen_y == 1);
}
