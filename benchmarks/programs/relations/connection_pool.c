// A pool of connections: idle ones, used ones, and those that have to be opened again.
//
// Safe: together they are all that there are. -DANY: any number of clients and of repairers.
// Broken: a connection that fails is not taken from the used ones.
#include <assert.h>
#include <pthread.h>

#define ALL 12

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int idle = ALL, used, failed;

void *client(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (idle == 0) {
            pthread_mutex_unlock(&lock);
            continue;
        }
        idle--;
        used++;
        pthread_mutex_unlock(&lock);
        int works = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
#ifndef BROKEN
        used--;
#endif
        if (works)
            idle++;
        else
            failed++;
        assert(idle + used + failed == ALL);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *repair(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (failed > 0) {
            failed--;
            idle++;
        }
        assert(idle <= ALL);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, client, 0);
        pthread_create(&thread, 0, repair, 0);
    }
#else
    pthread_create(&thread, 0, client, 0);
    pthread_create(&thread, 0, client, 0);
    pthread_create(&thread, 0, repair, 0);
#endif
    return 0;
}
