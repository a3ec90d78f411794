// A latch counts three services down; main waits for it before it uses what they prepared.
//
// Safe: a service counts down after it wrote its result, so main sees all three: 1 + 2 + 4 = 7.
// Broken: the latch counts two services only.
#include <assert.h>
#include <pthread.h>

#define SERVICES 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t zero = PTHREAD_COND_INITIALIZER;
#ifdef BROKEN
static int remaining = SERVICES - 1;
#else
static int remaining = SERVICES;
#endif
static int results[SERVICES];

static void *start_service(void *arg)
{
    int number = *(int *)arg;
    results[number] = 1 << number;
    pthread_mutex_lock(&lock);
    if (--remaining == 0)
        pthread_cond_signal(&zero);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t services[SERVICES];
    int numbers[SERVICES];
    for (int i = 0; i < SERVICES; i++) {
        numbers[i] = i;
        pthread_create(&services[i], NULL, start_service, &numbers[i]);
    }
    pthread_mutex_lock(&lock);
    while (remaining > 0)
        pthread_cond_wait(&zero, &lock);
    pthread_mutex_unlock(&lock);
    assert(results[0] + results[1] + results[2] == 7);
    for (int i = 0; i < SERVICES; i++)
        pthread_join(services[i], NULL);
    return 0;
}
