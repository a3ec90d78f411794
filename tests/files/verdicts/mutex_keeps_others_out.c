// precise: SUCCESSFUL --threads 2
// The other thread does not see the middle of the section.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex;
int inside;

void *first(void *unused) {
    pthread_mutex_lock(&mutex);
    inside = 1;
    inside = 0;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *second(void *unused) {
    pthread_mutex_lock(&mutex);
    assert(inside == 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
