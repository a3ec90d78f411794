// precise: SUCCESSFUL --threads 2
// A consumer waits until a second from now; whether the time is over or not, the lock is held.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int is_ready, inside;

void *producer(void *unused) {
    pthread_mutex_lock(&lock);
    assert(inside == 0);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    pthread_mutex_lock(&lock);
    int error = 0;
    while (!is_ready && !error)
        error = pthread_cond_timedwait(&changed, &lock, &limit);
    inside = 1;
    assert(error == 0 || error == ETIMEDOUT);
    assert(is_ready || error);
    inside = 0;
    pthread_mutex_unlock(&lock);
}
