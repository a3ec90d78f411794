// Two threads add 10 to one counter, one by one, and main checks the sum.
//
// Safe: every addition is made under the mutex, and both threads are joined before the check, so that no addition is lost.
// Broken: the second thread adds without the mutex; what it reads may be old when it writes, and an addition is lost.
#include <assert.h>
#include <pthread.h>

#define TIMES 10

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    (void)arg;
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    for (int i = 0; i < TIMES; i++) {
#ifndef BROKEN
        pthread_mutex_lock(&lock);
#endif
        counter++;
#ifndef BROKEN
        pthread_mutex_unlock(&lock);
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2 * TIMES);
    return 0;
}
