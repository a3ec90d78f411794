// A sequence lock: a writer changes two numbers twice, and a reader tries until it has read both between two writes.
//
// Safe: the sequence is odd while the writer writes; a reader that saw the same even sequence twice has a consistent pair.
// Broken: the reader does not look at the sequence again, and the writer may have begun meanwhile.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static int x, y;

static void *write_pairs(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        x = i;
        y = 10 * i;
        atomic_fetch_add(&sequence, 1);
    }
    return NULL;
}

static void *read_pair(void *arg)
{
    unsigned before, after;
    int my_x, my_y;
    (void)arg;
    do {
        before = atomic_load(&sequence);
        my_x = x;
        my_y = y;
#ifdef BROKEN
        after = before;
#else
        after = atomic_load(&sequence);
#endif
    } while (before % 2 == 1 || before != after);
    assert(my_y == 10 * my_x);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_pairs, NULL);
    pthread_create(&reader, NULL, read_pair, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
