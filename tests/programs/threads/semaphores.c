// covers: semaphores
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int inside;

void *worker(void *arg)
{
    sem_wait(&s);
    assert(inside == 0);
    inside = 1;
    inside = 0;
    sem_post(&s);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int value;
    sem_init(&s, 0, 1);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    sem_getvalue(&s, &value);
    assert(value == 1);
    assert(sem_trywait(&s) == 0 && sem_trywait(&s) == -1);
    return 0;
}
