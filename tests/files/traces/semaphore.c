// The semaphore lets two in.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
sem_t seats; int inside;
void *guest(void *unused) {
    sem_wait(&seats);
    int now = ++inside;
    assert(now == 1);
    inside--;
    sem_post(&seats);
    return NULL;
}
int main(void) {
    pthread_t t[2];
    sem_init(&seats, 0, 2);
    pthread_create(t, NULL, guest, NULL);
    pthread_create(t + 1, NULL, guest, NULL);
    pthread_join(t[0], NULL); pthread_join(t[1], NULL);
    return 0;
}
