// covers: semaphores
// expect: successful
// threads: 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;

void *worker(void *arg)
{
    assert(sem_trywait(&s) == -1);
    assert(errno == EAGAIN);
    return 0;
}

int main(void)
{
    pthread_t a;
    sem_init(&s, 0, 0);
    errno = 3;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    assert(errno == 3); /* Each thread has its own. */
    return 0;
}
