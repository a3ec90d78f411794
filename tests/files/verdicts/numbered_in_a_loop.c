// precise: SUCCESSFUL --threads 2
// Each thread has a number and a place for its result; a function starts them.
#include <pthread.h>
#include <assert.h>
#define N 2

int results[N];

void *worker(void *argument) {
    long number = (long)argument;
    results[number] = (int)number + 1;
    return 0;
}

void start(pthread_t *threads, int count) {
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], 0, worker, (void *)i) != 0)
            break;
}

int main(void) {
    pthread_t threads[N];
    int sum = 0;
    start(threads, N);
    for (unsigned i = 0; i != N; i++) {
        pthread_join(threads[i], 0);
        sum += results[i];
    }
    assert(sum == 3);
}
