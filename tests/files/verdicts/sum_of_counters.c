// precise: SUCCESSFUL
// sound: FAILED --timeout 5 -DBROKEN
// Any number of threads move from one counter to two others under a mutex: the sum is kept.
#include <assert.h>
#include <pthread.h>

unsigned left = 5000, first, second;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *one(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        if (left > 0) {
            left--;
            first++;
        }
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

void *two(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        if (left > 1) {
            left -= 2;
#ifdef BROKEN
            second++;
#else
            second += 2;
#endif
        }
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, NULL, one, NULL);
        pthread_create(&thread, NULL, two, NULL);
        pthread_mutex_lock(&mutex);
        assert(first + second + left == 5000);
        pthread_mutex_unlock(&mutex);
    }
}
