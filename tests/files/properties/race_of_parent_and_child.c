// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// precise: FAILED --property %d/race.prp -DBROKEN
// What is before a start and behind a join is in order with what the thread does.
#include <pthread.h>
int shared;

void *child(void *arg) {
    shared = 2;
    return 0;
}

int main(void) {
    pthread_t thread;
    shared = 1;
    pthread_create(&thread, 0, child, 0);
#ifdef BROKEN
    shared = 3;
#endif
    pthread_join(thread, 0);
    shared = 4;
    pthread_create(&thread, 0, child, 0);
    pthread_join(thread, 0);
    return shared;
}
