// covers: threads
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>

pthread_t self;

void *worker(void *arg)
{
    self = pthread_self();
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    assert(pthread_equal(a, self));
    assert(!pthread_equal(a, pthread_self()));
    return 0;
}
