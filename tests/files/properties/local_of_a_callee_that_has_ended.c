// precise: FAILED --property pointers
// precise: SUCCESSFUL --property pointers -DJOINED
// A thread uses a local of the function that started it, which may have returned.
#include <pthread.h>
pthread_t thread;

void *add(void *argument) {
    int *number = argument;
    *number += 1;
    return 0;
}

void start(void) {
    int number = 0;
    pthread_create(&thread, 0, add, &number);
#ifdef JOINED
    pthread_join(thread, 0);
#endif
}

int main(void) {
    start();
    return 0;
}
