// covers: threads-in-loops
// expect: successful
// threads: 3
#include <assert.h>
#include <pthread.h>

int x;

void *worker(void *arg)
{
    __sync_fetch_and_add(&x, 1);
    return 0;
}

int main(void)
{
    pthread_t t[3];
    int i;
    for (i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(x == 3);
    return 0;
}
