// covers: thread-arguments
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

int x[2];

void *worker(void *arg)
{
    int i = *(int *)arg;
    x[i] = i + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int zero = 0, one = 1;
    pthread_create(&a, 0, worker, &zero);
    pthread_create(&b, 0, worker, &one);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x[0] == 1 && x[1] == 2);
    return 0;
}
