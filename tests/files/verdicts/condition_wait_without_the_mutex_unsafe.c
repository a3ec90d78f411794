// precise: FAILED --threads 0
// A wait for a condition fails where its unlock does.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    __CPROVER_assert(pthread_cond_wait(&condition, &mutex) == 0, "the mutex is not held");
}
