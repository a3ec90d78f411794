// precise: FAILED --threads 0 %d/units/mutex_kind.c
// The other unit makes the mutex recursive: the second lock does not wait.
#include <pthread.h>

extern pthread_mutex_t mutex;
void make(void);

int main(void) {
    make();
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    __CPROVER_assert(0, "this is reached");
}
