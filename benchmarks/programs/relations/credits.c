// Flow control by credits: the receiver gives them, the sender uses them, messages are on their way or wait.
//
// Safe: credits, messages on their way and messages that wait are eight. -DANY: any number of each.
// Broken: a message that is dropped gives no credit back.
#include <assert.h>
#include <pthread.h>

#define WINDOW 8

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int credits = WINDOW, flying, waiting;

void *send(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (credits > 0) {
            credits--;
            flying++;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *deliver(void *unused)
{
    for (;;) {
        int dropped = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        if (flying > 0) {
            flying--;
            if (!dropped)
                waiting++;
#ifndef BROKEN
            else
                credits++;
#endif
        }
        assert(waiting <= WINDOW);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *receive(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (waiting > 0) {
            waiting--;
            credits++;
        }
        assert(credits + flying + waiting == WINDOW);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, send, 0);
        pthread_create(&thread, 0, deliver, 0);
        pthread_create(&thread, 0, receive, 0);
    }
#else
    pthread_create(&thread, 0, send, 0);
    pthread_create(&thread, 0, deliver, 0);
    pthread_create(&thread, 0, receive, 0);
#endif
    return 0;
}
