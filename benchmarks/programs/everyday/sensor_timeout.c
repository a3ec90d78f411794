// A thread waits for a sensor's value until a time is over, and falls back to the last one that was stored.
//
// Safe: the value is used only if `fresh` says that it came, whatever the wait returned; otherwise the default 20 is used.
// Broken: the wait is left at the first time-out or wake-up and the value is used without a look at `fresh`.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t measured = PTHREAD_COND_INITIALIZER;
static int fresh;
static int temperature = -1000;

static void *sensor(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    temperature = 23;
    fresh = 1;
    pthread_cond_signal(&measured);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *display(void *arg)
{
    struct timespec until;
    int shown = 20;
    (void)arg;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&lock);
#ifdef BROKEN
    if (!fresh)
        pthread_cond_timedwait(&measured, &lock, &until);
    shown = temperature;
#else
    while (!fresh)
        if (pthread_cond_timedwait(&measured, &lock, &until) == ETIMEDOUT)
            break;
    if (fresh)
        shown = temperature;
#endif
    pthread_mutex_unlock(&lock);
    assert(shown == 20 || shown == 23);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, display, NULL);
    pthread_create(&b, NULL, sensor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
