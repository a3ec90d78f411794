// precise: FAILED --threads 1
// The kind of a mutex may be written as the member that it is.
#define _GNU_SOURCE
#include <pthread.h>

pthread_mutex_t mutex;

int main(void) {
    mutex.__data.__kind = PTHREAD_MUTEX_RECURSIVE_NP;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    __CPROVER_assert(0, "this is reached");
}
