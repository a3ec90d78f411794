// precise: FAILED --threads 2
// Both joins wait for the same thread.
#include <pthread.h>
#include <assert.h>

int done[2];

void *worker(void *argument) {
    done[(long)argument] = 1;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[0], 0);
    assert(done[0] && done[1]);
}
