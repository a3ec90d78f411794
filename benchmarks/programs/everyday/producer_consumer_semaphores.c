// A producer and a consumer share a buffer of two places, counted by POSIX semaphores.
//
// Safe: `items` counts filled places and `room` empty ones, so the consumer reads what was written for it.
// Broken: the consumer's place counts as empty before it is read, and the producer may fill it again.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define PLACES 2
#define ITEMS 4

static int buffer[PLACES];
static sem_t items, room;

static void *produce(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&room);
        buffer[i % PLACES] = 100 + i;
        sem_post(&items);
    }
    return NULL;
}

static void *consume(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&items);
#ifdef BROKEN
        sem_post(&room);
        assert(buffer[i % PLACES] == 100 + i);
#else
        assert(buffer[i % PLACES] == 100 + i);
        sem_post(&room);
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;
    sem_init(&items, 0, 0);
    sem_init(&room, 0, PLACES);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    sem_destroy(&items);
    sem_destroy(&room);
    return 0;
}
