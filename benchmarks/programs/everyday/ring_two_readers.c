// A ring with one writer and two readers, which take places by compare-and-swap on the head; each adds what it took.
//
// Safe: a reader owns a place only if its exchange of the head succeeded, so each of the items 1 to 4 is taken once: 10.
// Broken: a reader moves the head by a plain store; both may take the same place, and the sum is another one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ITEMS 4

static int ring[ITEMS];
static atomic_int head, tail;
static int sums[2];

static void *write_items(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        ring[i] = i + 1;
        atomic_store(&tail, i + 1);
    }
    return NULL;
}

static void *read_items(void *arg)
{
    int *sum = arg;
    for (;;) {
        int place = atomic_load(&head);
        if (place == ITEMS)
            return NULL;
        if (place == atomic_load(&tail))
            continue;
#ifdef BROKEN
        atomic_store(&head, place + 1);
        *sum += ring[place];
#else
        if (atomic_compare_exchange_strong(&head, &place, place + 1))
            *sum += ring[place];
#endif
    }
}

int main(void)
{
    pthread_t writer, readers[2];
    pthread_create(&writer, NULL, write_items, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], NULL, read_items, &sums[i]);
    pthread_join(writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    assert(sums[0] + sums[1] == 10);
    return 0;
}
