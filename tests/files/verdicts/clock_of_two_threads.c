// precise: SUCCESSFUL --threads 1
// What a thread reads is not before what others have read.
#include <assert.h>
#include <pthread.h>
#include <time.h>

struct timespec first, second;

void *later(void *unused) {
    clock_gettime(CLOCK_MONOTONIC, &second);
    return 0;
}

int main(void) {
    pthread_t thread;
    clock_gettime(CLOCK_MONOTONIC, &first);
    pthread_create(&thread, 0, later, 0);
    pthread_join(thread, 0);
    assert(second.tv_sec >= first.tv_sec);
}
