// precise: SUCCESSFUL --property deadlock
// precise: FAILED --property deadlock -DBROKEN
// A buffer of one place: each side posts what the other one waits for, or takes one more than it is given.
#include <pthread.h>
#include <semaphore.h>
sem_t full, empty;
int place;

void *produce(void *arg) {
    for (int i = 0; i < 2; i++) {
        sem_wait(&empty);
        place = i;
        sem_post(&full);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    int sum = 0;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 1);
    pthread_create(&thread, 0, produce, 0);
    for (int i = 0; i < 2; i++) {
        sem_wait(&full);
        sum += place;
#ifdef BROKEN
        if (i == 0)
            continue;
#endif
        sem_post(&empty);
    }
    pthread_join(thread, 0);
    return sum;
}
