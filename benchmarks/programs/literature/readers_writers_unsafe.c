/* Readers and writers, unsafe. After Courtois, Heymans, Parnas: Concurrent control with "readers" and "writers" (1971)
 *
 * Assertion: no writer is active while a reader reads, nor another writer while one writes.
 * Bug: the reader registers after it has given the lock back.
 *
 *     sapa check readers_writers_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int readers = 0;
int writing = 0;

int __VERIFIER_nondet_int(void);

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&m);
        if (writing || readers == 1000) {
            pthread_mutex_unlock(&m);
            return 0;
        }
        pthread_mutex_unlock(&m);
        readers++;
        assert(writing == 0);
        readers--;
    } else {
        pthread_mutex_lock(&m);
        if (writing == 0 && readers == 0) {
            writing = 1;
            writing = 0;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
