// precise: SUCCESSFUL --threads 3
// Threads are started and joined in loops of few rounds, one upwards, one downwards.
#include <pthread.h>
#include <assert.h>
#define N 3

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    int i;
    for (i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    while (i--)
        pthread_join(threads[i], 0);
    assert(sum == N);
}
