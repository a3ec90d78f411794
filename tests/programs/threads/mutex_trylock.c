// covers: mutexes
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside, got;

void *worker(void *arg)
{
    if (pthread_mutex_trylock(&m) == 0) {
        assert(!inside);
        inside = 1;
        got++;
        inside = 0;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(got >= 1 && got <= 2);
    return 0;
}
