// A FIFO of three places without a lock: a flag beside each place says whether it is full.
//
// Safe: the producer waits until a place is empty and sets its flag last; the consumer clears it when it has read the place.
// Broken: the consumer clears the flag before it reads the place, and may find the item of the next round in it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define PLACES 3
#define ITEMS 5

static int items[PLACES];
static atomic_bool full[PLACES];

static void *produce(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        while (full[i % PLACES])
            ;
        items[i % PLACES] = i + 1;
        full[i % PLACES] = true;
    }
    return NULL;
}

static void *consume(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        int item;
        while (!full[i % PLACES])
            ;
#ifdef BROKEN
        full[i % PLACES] = false;
        item = items[i % PLACES];
#else
        item = items[i % PLACES];
        full[i % PLACES] = false;
#endif
        assert(item == i + 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
