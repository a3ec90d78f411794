// An accumulator that two threads update by different formulas, five times each.
//
// Safe: each update is made under the mutex; one adds 3 and the other takes away 1, so the order does not matter: 5 * 2 = 10.
// Broken: the second thread reads the accumulator before it locks, so an update of the first may be lost.
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 5
#endif

static int accumulator;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add_three(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        accumulator = accumulator + 3;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *subtract_one(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
#ifdef BROKEN
        int old = accumulator;
        pthread_mutex_lock(&lock);
#else
        pthread_mutex_lock(&lock);
        int old = accumulator;
#endif
        accumulator = old - 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add_three, NULL);
    pthread_create(&b, NULL, subtract_one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(accumulator == 2 * ROUNDS);
    return 0;
}
