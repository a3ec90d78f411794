// precise: FAILED --threads 3
// A loop of few rounds that may end before: fewer threads are started.
#include <pthread.h>
#include <assert.h>

int any(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (any())
            break;
        pthread_create(&threads[i], 0, worker, 0);
        count++;
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
    assert(count != 2 || sum == 1);
}
