// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// A message is written before a flag is set: an atomic one, or a volatile one, which orders nothing.
#include <pthread.h>
#include <stdatomic.h>
#ifdef BROKEN
volatile int ready;
#else
atomic_int ready;
#endif
int message;

void *receive(void *arg) {
    if (ready)
        return (void *)(long)message;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, receive, 0);
    message = 42;
    ready = 1;
    pthread_join(thread, 0);
    return 0;
}
