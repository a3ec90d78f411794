// precise: FAILED --property races
// precise: SUCCESSFUL --property races -DLOCKED
// What the library's functions access is the caller's where they are not inlined, too; what they do to a semaphore is not.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
char text[4];
sem_t s;

void write_text(int n) {
    if (n == 0)
        return;
#ifdef LOCKED
    if (sem_trywait(&s))
        return;
#endif
    snprintf(text, sizeof text, "%d", 7);
#ifdef LOCKED
    sem_post(&s);
#endif
    write_text(n - 1);
}

void *work(void *arg) {
    write_text(1);
    return 0;
}

int main(void) {
    pthread_t thread;
    sem_init(&s, 0, 1);
    pthread_create(&thread, 0, work, 0);
    write_text(1);
    return 0;
}
