// covers: asm
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

int x, y, r, s;

void *one(void *arg)
{
    x = 1;
    __asm__ __volatile__("mfence" ::: "memory");
    r = y;
    return 0;
}

void *two(void *arg)
{
    y = 1;
    __asm__ __volatile__("lock; addl $0, 0(%%rsp)" ::: "memory");
    s = x;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r || s);
    return 0;
}
