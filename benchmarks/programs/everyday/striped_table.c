// A hash table of four buckets with two locks; three threads insert two keys each, where a bucket counts its keys.
//
// Safe: two keys of one bucket are inserted under the same lock, that of the bucket's parity, so no key is lost.
// Broken: the lock is chosen by another hash of the key than the bucket, and two threads may change one bucket at a time.
#include <assert.h>
#include <pthread.h>

#define BUCKETS 4
#define DEPTH 6
#define STRIPES 2
#define THREADS 3

struct bucket {
    int count;
    int keys[DEPTH];
};

static struct bucket table[BUCKETS];
static pthread_mutex_t stripes[STRIPES] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void insert(int key)
{
    int index = key % BUCKETS;
#ifdef BROKEN
    pthread_mutex_t *stripe = &stripes[key / BUCKETS % STRIPES];
#else
    pthread_mutex_t *stripe = &stripes[index % STRIPES];
#endif
    pthread_mutex_lock(stripe);
    struct bucket *bucket = &table[index];
    bucket->keys[bucket->count] = key;
    bucket->count++;
    pthread_mutex_unlock(stripe);
}

static void *fill(void *arg)
{
    const int *keys = arg;
    insert(keys[0]);
    insert(keys[1]);
    return NULL;
}

int main(void)
{
    static const int keys[THREADS][2] = { { 1, 6 }, { 5, 2 }, { 9, 7 } };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, fill, (void *)keys[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(table[1].count == 3);
    assert(table[2].count == 2);
    assert(table[3].count == 1 && table[3].keys[0] == 7);
    return 0;
}
