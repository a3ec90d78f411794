// The waiter does not look again at what it has waited for.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int count;
void *consumer(void *unused) {
    pthread_mutex_lock(&m);
    if (count == 0)
        pthread_cond_wait(&filled, &m);
    count--;
    assert(count >= 0);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, consumer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_mutex_lock(&m);
    count++;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&m);
    return 0;
}
