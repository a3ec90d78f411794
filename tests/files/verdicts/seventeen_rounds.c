// precise: FAILED --threads 17
// A loop of too many rounds to be unrolled starts threads all the same.
#include <pthread.h>
#include <assert.h>

int seen;

void *worker(void *argument) {
    seen = 1;
    return 0;
}

int main(void) {
    pthread_t threads[17];
    for (int i = 0; i < 17; i++) {
        pthread_create(&threads[i], 0, worker, 0);
        assert(!seen);
    }
}
