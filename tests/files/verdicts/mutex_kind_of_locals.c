// precise: FAILED --threads 1
// A local mutex may be recursive: a thread may take it twice, and goes on.
#define _GNU_SOURCE
#include <pthread.h>

struct holder { int before; pthread_mutex_t mutex; };

int main(void) {
    struct holder holder = { 1, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
    pthread_mutex_lock(&holder.mutex);
    pthread_mutex_lock(&holder.mutex);
    __CPROVER_assert(0, "this is reached");
}
