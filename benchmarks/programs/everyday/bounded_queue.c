// A queue of four places between a producer and a consumer, with one mutex and two condition variables.
//
// Safe: items come out in the order in which they went in, since both sides wait in a loop for a place or an item.
// Broken: the consumer does not wait for an item, and may take what has not been put there yet.
#include <assert.h>
#include <pthread.h>

#ifndef CAPACITY
#define CAPACITY 4
#endif
#ifndef ITEMS
#define ITEMS 6
#endif

static int places[CAPACITY];
static int head, tail, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (count == CAPACITY)
        pthread_cond_wait(&not_full, &lock);
    places[tail] = item;
    tail = (tail + 1) % CAPACITY;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    int item;
    pthread_mutex_lock(&lock);
#ifndef BROKEN
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
#endif
    item = places[head];
    head = (head + 1) % CAPACITY;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++)
        put(i * i);
    return NULL;
}

static void *consume(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        int item = take();
        assert(item == i * i);
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
