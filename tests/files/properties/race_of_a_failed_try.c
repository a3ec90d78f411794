// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// precise: SUCCESSFUL --property races -DOBTAINED
// Who finds a lock taken is not ordered behind what its holder did before.
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

void *holder(void *arg) {
#ifdef OBTAINED
    pthread_mutex_lock(&lock);
    value = 1;
    pthread_mutex_unlock(&lock);
#else
    value = 1;
    pthread_mutex_lock(&lock);
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, holder, 0);
#ifdef OBTAINED
    if (pthread_mutex_trylock(&lock) == 0) {
        value = 2;
        pthread_mutex_unlock(&lock);
    }
#else
    if (pthread_mutex_trylock(&lock) != 0) {
#ifdef BROKEN
        value = 2;
#endif
    }
#endif
    pthread_join(thread, 0);
    return 0;
}
