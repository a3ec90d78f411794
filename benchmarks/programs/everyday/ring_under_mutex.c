// A ring buffer of four places under a mutex, with a producer and a consumer that try again when it is full or empty.
//
// Safe: at most four items lie between head and tail, and they come out in the order 1 to 6.
// Broken: the ring is called full only when five items are in it, and the oldest may be overwritten.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define SIZE 4
#define ITEMS 6

static int ring[SIZE];
static int head, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool try_put(int item)
{
    bool room;
    pthread_mutex_lock(&lock);
#ifdef BROKEN
    room = count <= SIZE;
#else
    room = count < SIZE;
#endif
    if (room) {
        ring[(head + count) % SIZE] = item;
        count++;
    }
    pthread_mutex_unlock(&lock);
    return room;
}

static bool try_get(int *item)
{
    bool some;
    pthread_mutex_lock(&lock);
    some = count > 0;
    if (some) {
        *item = ring[head];
        head = (head + 1) % SIZE;
        count--;
    }
    pthread_mutex_unlock(&lock);
    return some;
}

static void *produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++)
        while (!try_put(i))
            ;
    return NULL;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 1; i <= ITEMS; i++) {
        int item;
        while (!try_get(&item))
            ;
        assert(item == i);
    }
    pthread_join(producer, NULL);
    return 0;
}
