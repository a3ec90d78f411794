// covers: thread-results
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

void *worker(void *arg)
{
    return (void *)((long)arg * 2);
}

void *other(void *arg)
{
    pthread_exit((void *)7);
    assert(0);
}

int main(void)
{
    pthread_t a, b;
    void *r, *s;
    pthread_create(&a, 0, worker, (void *)21);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, &r);
    pthread_join(b, &s);
    assert((long)r == 42);
    assert((long)s == 7);
    return 0;
}
