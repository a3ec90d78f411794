// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// precise: SUCCESSFUL --property races --mm tso
// A counter under a lock, which one way does without.
#include <pthread.h>
int counter;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *work(void *arg) {
#ifdef BROKEN
    if (arg) {
        counter++;
        return 0;
    }
#endif
    pthread_mutex_lock(&m);
    counter++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, &m);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return counter;
}
