// A ring of four places with one writer and one reader and no lock: the writer alone moves the tail, the reader the head.
//
// Safe: the place is filled before the tail moves, so the reader finds in it what was written for it.
// Broken: the tail moves first, and the reader may read the place before it is filled.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4
#define ITEMS 5

static int ring[SIZE];
static atomic_uint head, tail;

static void *write_items(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        unsigned place = atomic_load(&tail);
        while (place - atomic_load(&head) == SIZE)
            ;
#ifdef BROKEN
        atomic_store(&tail, place + 1);
        ring[place % SIZE] = 10 + i;
#else
        ring[place % SIZE] = 10 + i;
        atomic_store(&tail, place + 1);
#endif
    }
    return NULL;
}

static void *read_items(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        unsigned place = atomic_load(&head);
        while (place == atomic_load(&tail))
            ;
        assert(ring[place % SIZE] == 10 + i);
        atomic_store(&head, place + 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_items, NULL);
    pthread_create(&reader, NULL, read_items, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
