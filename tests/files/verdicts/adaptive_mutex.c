// precise: SUCCESSFUL --threads 1
// An adaptive mutex is not recursive: its owner waits for ever.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    int result = pthread_mutexattr_settype(&attributes, 77);
    __CPROVER_assert(result == 22, "there is no such kind");
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    __CPROVER_assert(0, "this is not reached");
}
