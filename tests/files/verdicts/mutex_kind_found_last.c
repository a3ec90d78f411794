// precise: FAILED --threads 1
// A mutex may get its kind in a function that comes after all that lock it, also through a pointer.
#include <pthread.h>

pthread_mutex_t mutex;

static void use(void) {
    int (*unlock)(pthread_mutex_t *) = pthread_mutex_unlock;
    pthread_mutex_lock(&mutex);
    unlock(&mutex);
}

static void *make(void *unused) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    return 0;
}

int main(void) {
    pthread_t thread;
    use();
    pthread_create(&thread, 0, make, 0);
    pthread_join(thread, 0);
    pthread_mutex_lock(&mutex);
    use();
    __CPROVER_assert(0, "this is reached");
}
