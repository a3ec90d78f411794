// precise: FAILED --threads 2
// The time may be over before the other thread is done.
#include <assert.h>
#include <semaphore.h>
#include <pthread.h>
#include <time.h>

sem_t done;
int result;

void *worker(void *unused) {
    result = 42;
    sem_post(&done);
    return 0;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, 0, worker, 0);
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 5;
    sem_timedwait(&done, &limit);
    assert(result == 42);
}
