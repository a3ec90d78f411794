// precise: SUCCESSFUL --property races
// precise: SUCCESSFUL --property races -DONCE
// precise: FAILED --property races -DBROKEN
// An object is made by who needs it first: seen through an atomic pointer, made by pthread_once, or seen through a plain one.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#if defined BROKEN || defined ONCE
int *object;
#else
_Atomic(int *) object;
#endif
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;

void make(void) {
    int *made = malloc(sizeof *made);
    *made = 7;
    object = made;
}

void *use(void *arg) {
#ifdef ONCE
    pthread_once(&once, make);
#else
    if (!object) {
        pthread_mutex_lock(&m);
        if (!object)
            make();
        pthread_mutex_unlock(&m);
    }
#endif
    int *found = object;
    return (void *)(long)*found;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, use, 0);
    pthread_create(&two, 0, use, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
