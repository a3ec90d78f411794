// covers: threads
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>

int x;

void *one(void *arg)
{
    x = 1;
    return 0;
}

void *two(void *arg)
{
    x = 2;
    return 0;
}

void start(pthread_t *t, void *(*f)(void *))
{
    pthread_create(t, 0, f, 0);
}

int main(void)
{
    pthread_t a;
    start(&a, two);
    pthread_join(a, 0);
    assert(x == 2);
    start(&a, one);
    pthread_join(a, 0);
    assert(x == 1);
    return 0;
}
