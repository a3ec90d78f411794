// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// precise: SUCCESSFUL -DFOREVER
// precise: FAILED -DFOREVER -DBROKEN
// A letter that was written is in the box, or on its way to it, or was fetched: written, fetched and the semaphore are a sum over
// threads, with three cells, also where each thread goes on with the next letter.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifdef FOREVER
#define EACH_ROUND for (;;)
#else
#define EACH_ROUND
#endif

sem_t box;
int written, fetched;
pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *unused)
{
    EACH_ROUND {
        pthread_mutex_lock(&desk);
        if (written < 500) {
            written++;
            sem_post(&box);
#ifdef BROKEN
            sem_post(&box);
#endif
        }
        pthread_mutex_unlock(&desk);
    }
    return unused;
}

void *reader(void *unused)
{
    EACH_ROUND {
        sem_wait(&box);
        int mine = __sync_add_and_fetch(&fetched, 1);
        assert(mine <= written);
    }
    return unused;
}

int main(void)
{
    sem_init(&box, 0, 0);
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, writer, NULL);
        pthread_create(&thread, NULL, reader, NULL);
    }
}
