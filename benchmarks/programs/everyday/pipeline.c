// A pipeline of three threads: the first makes numbers, the second squares them, the third adds them.
//
// Safe: a slot between two stages is written when it is empty and read when it is full; 1 + 4 + 9 = 14.
// Broken: the second stage marks its input slot empty before it has read it, and the first may write the next number there.
#include <assert.h>
#include <pthread.h>

#define ITEMS 3

struct slot {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full;
    int value;
};

static struct slot numbers = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
static struct slot squares = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
static int sum;

static void send(struct slot *slot, int value)
{
    pthread_mutex_lock(&slot->lock);
    while (slot->full)
        pthread_cond_wait(&slot->changed, &slot->lock);
    slot->value = value;
    slot->full = 1;
    pthread_cond_broadcast(&slot->changed);
    pthread_mutex_unlock(&slot->lock);
}

static int receive(struct slot *slot)
{
    int value;
    pthread_mutex_lock(&slot->lock);
    while (!slot->full)
        pthread_cond_wait(&slot->changed, &slot->lock);
    slot->full = 0;
    pthread_cond_broadcast(&slot->changed);
#ifdef BROKEN
    pthread_mutex_unlock(&slot->lock);
    value = slot->value;
#else
    value = slot->value;
    pthread_mutex_unlock(&slot->lock);
#endif
    return value;
}

static void *make(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++)
        send(&numbers, i);
    return NULL;
}

static void *square(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        int n = receive(&numbers);
        send(&squares, n * n);
    }
    return NULL;
}

static void *add(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++)
        sum += receive(&squares);
    return NULL;
}

int main(void)
{
    pthread_t stages[3];
    pthread_create(&stages[0], NULL, make, NULL);
    pthread_create(&stages[1], NULL, square, NULL);
    pthread_create(&stages[2], NULL, add, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(stages[i], NULL);
    assert(sum == 14);
    return 0;
}
