// covers: mutexes
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m;
int x;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&m, 0);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    pthread_mutex_destroy(&m);
    return 0;
}
