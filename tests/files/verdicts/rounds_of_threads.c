// precise: SUCCESSFUL --threads 2
// Loops in a loop: the array holds the handles of a second round after the first.
#include <pthread.h>
#include <assert.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t handles[2];
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < 2; i++)
            pthread_create(&handles[i], 0, worker, 0);
        for (int i = 0; i < 2; i++)
            pthread_join(handles[i], 0);
        assert(sum == 2 * round);
    }
}
