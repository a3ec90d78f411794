// A sender with a window of four: what was sent, what has arrived and what was confirmed follow one another.
//
// Safe: confirmed <= arrived <= sent, and no more than four are on their way. -DANY: any number of each.
// Broken: the receiver confirms one that may not have arrived.
#include <assert.h>
#include <pthread.h>

#define WINDOW 4

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sent, arrived, confirmed;

void *sender(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (sent < 1000000 && sent - confirmed < WINDOW)
            sent++;
        assert(sent - confirmed <= WINDOW);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *network(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (arrived < sent)
            arrived++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *receiver(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (confirmed < sent)
#else
        if (confirmed < arrived)
#endif
            confirmed++;
        assert(confirmed <= arrived && arrived <= sent);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, sender, 0);
        pthread_create(&thread, 0, network, 0);
        pthread_create(&thread, 0, receiver, 0);
    }
#else
    pthread_create(&thread, 0, sender, 0);
    pthread_create(&thread, 0, network, 0);
    pthread_create(&thread, 0, receiver, 0);
#endif
    return 0;
}
