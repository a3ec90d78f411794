#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int highest;

int __VERIFIER_nondet_int(void);

void *worker(void *unused)
{
    int mine = __VERIFIER_nondet_int();
    pthread_mutex_lock(&mutex);
    if (mine > highest)
        highest = mine;
    pthread_mutex_unlock(&mutex);
    assert(highest >= mine);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, 0, worker, 0);
}
