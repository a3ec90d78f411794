// precise: SUCCESSFUL --property pointers,leaks
// precise: FAILED --property pointers -DBROKEN
// Who holds the lock may use the message; the broken one frees it without.
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int *message;

void *reader(void *unused) {
    pthread_mutex_lock(&lock);
    if (message)
        *message += 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    message = malloc(sizeof *message);
    *message = 1;
    pthread_create(&thread, 0, reader, 0);
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    free(message);
    message = 0;
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(thread, 0);
    return 0;
}
