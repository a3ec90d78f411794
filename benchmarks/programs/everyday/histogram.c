// Three threads count the marks of a class in a shared histogram, four marks each.
//
// Safe: a bin is incremented under the mutex, so no mark is lost; there are 12, and five of them are 2.
// Broken: there is a mutex for each thread, which keeps nobody out.
#include <assert.h>
#include <pthread.h>

#define THREADS 3
#define EACH 4
#define BINS 4

static const int marks[THREADS * EACH] = { 1, 2, 2, 3, 0, 2, 3, 3, 2, 1, 2, 0 };
static int histogram[BINS];
static pthread_mutex_t locks[THREADS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void *count(void *arg)
{
    long me = (long)arg;
#ifdef BROKEN
    pthread_mutex_t *lock = &locks[me];
#else
    pthread_mutex_t *lock = &locks[0];
#endif
    for (int i = 0; i < EACH; i++) {
        int mark = marks[me * EACH + i];
        pthread_mutex_lock(lock);
        histogram[mark]++;
        pthread_mutex_unlock(lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int total = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int bin = 0; bin < BINS; bin++)
        total += histogram[bin];
    assert(total == THREADS * EACH);
    assert(histogram[2] == 5);
    return 0;
}
