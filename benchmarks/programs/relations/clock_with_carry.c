// A clock with seconds, minutes and hours, and all seconds since it began.
//
// Safe: seconds and minutes stay below 60, and all are the number of seconds. -DANY: any number of threads tick.
// Broken: the minutes go to 61.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned seconds, minutes, hours, all;

void *tick(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        all++;
        seconds++;
        if (seconds == 60) {
            seconds = 0;
            minutes++;
#ifdef BROKEN
            if (minutes == 61) {
#else
            if (minutes == 60) {
#endif
                minutes = 0;
                hours++;
            }
        }
        assert(seconds < 60 && minutes < 60);
        assert(all == seconds + 60 * minutes + 3600 * hours);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, tick, 0);
#else
    minutes = 58;
    all = 58 * 60;
    pthread_create(&thread, 0, tick, 0);
    pthread_create(&thread, 0, tick, 0);
#endif
    return 0;
}
