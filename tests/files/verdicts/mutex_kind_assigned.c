// precise: FAILED --threads 1
// A mutex that is assigned a literal is of the literal's kind.
#define _GNU_SOURCE
#include <pthread.h>

pthread_mutex_t mutex;

int main(void) {
    mutex = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutex_lock(&mutex);
    int result = pthread_mutex_lock(&mutex);
    __CPROVER_assert(result == 0, "the second lock succeeds");
}
