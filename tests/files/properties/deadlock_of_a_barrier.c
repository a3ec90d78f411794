// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// precise: SUCCESSFUL --property pointers,deadlock
// precise: FAILED --property pointers,deadlock -DBROKEN
// A barrier for as many threads as there are, or for one more.
#include <pthread.h>
pthread_barrier_t barrier;
#ifdef BROKEN
enum { COUNT = 3 };
#else
enum { COUNT = 2 };
#endif

void *arrive(void *arg) {
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, COUNT);
    pthread_create(&thread, 0, arrive, 0);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    return 0;
}
