// sound: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// Functions that call themselves are not inlined.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int depth;

void go(int n) {
    if (n == 0)
        return;
#ifndef BROKEN
    pthread_mutex_lock(&m);
#endif
    depth++;
#ifndef BROKEN
    pthread_mutex_unlock(&m);
#endif
    go(n - 1);
}

void *work(void *arg) {
    go(2);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    go(1);
    return 0;
}
