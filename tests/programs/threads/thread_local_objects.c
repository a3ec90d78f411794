// covers: thread-local
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

__thread int mine = 3;
_Thread_local static int other;
int x;

void *worker(void *arg)
{
    mine++;
    other += 2;
    assert(mine == 4 && other == 2);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(mine == 3 && other == 0);
    return 0;
}
