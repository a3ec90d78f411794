// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// Three philosophers, one of whom begins with the other fork; or none does.
#include <pthread.h>
pthread_mutex_t forks[3];

void eat(int first, int second) {
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
}

void *philosopher(void *arg) {
    int i = (int)(long)arg, next = i == 2 ? 0 : i + 1;
#ifdef BROKEN
    eat(i, next);
#else
    if (i < next)
        eat(i, next);
    else
        eat(next, i);
#endif
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&forks[i], 0);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
